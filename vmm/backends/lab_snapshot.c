/*
 * Boots L1 once, and keeps it as it stands when it is ready: see lab.h.
 *
 * L1 stops itself by an instruction of its own, so under instruction counting the
 * snapshot, too, is the same each time that it is made. It is QEMU's migration stream in
 * a file: read by any number of runs at once, written by none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../host_clock.h"
#include "lab.h"
#include "lab_frames.h"
#include "lab_qemu.h"
#include "lab_scratch.h"

#define BOOT_TIMEOUT_NS (180 * NS_PER_S)
#define SAVE_TIMEOUT_NS (60 * NS_PER_S)
#define POLL_NS		10000000

struct boot {
	const struct lab *lab;
	const struct lab_shape *shape;
	FILE *file; /* that comes in; NULL: none */
	bool ready;
	struct lab_memory symbols;
	char said[200]; /* what /init had to say */
};

static void open_file(struct boot *boot, const char *data, uint32_t length)
{
	char path[2 * PATH_MAX];

	if (boot->file)
		fclose(boot->file);
	boot->file = NULL;
	if (boot->shape->real_time)
		return;
	snprintf(path, sizeof(path), "%s/%.*s", boot->lab->dir, (int)length, data);
	boot->file = fopen(path, "we");
}

static void take_ready(struct boot *boot, const char *data, uint32_t length)
{
	if (length == sizeof(boot->symbols))
		memcpy(&boot->symbols, data, length);
	boot->ready = true;
}

static void take_frame(void *owner, uint32_t kind, const char *data, uint32_t length)
{
	struct boot *boot = owner;

	if (kind == LAB_FRAME_FILE)
		open_file(boot, data, length);
	else if (kind == LAB_FRAME_DATA && boot->file)
		fwrite(data, 1, length, boot->file);
	else if (kind == LAB_FRAME_STDERR)
		snprintf(boot->said, sizeof(boot->said), "%.*s", (int)length, data);
	else if (kind == LAB_FRAME_READY)
		take_ready(boot, data, length);
}

static int wait_ready(struct lab_qemu *qemu, struct boot *boot, struct error *e)
{
	static struct lab_frames frames;
	struct lab_pump pump = {.qemu = qemu,
				.frames = &frames,
				.done = &boot->ready,
				.heartbeat = boot->shape->real_time,
				.deadline_ns = host_monotonic_ns() + BOOT_TIMEOUT_NS};
	enum lab_pumped pumped;

	memset(&frames, 0, sizeof(frames));
	frames.on_frame = take_frame;
	frames.owner = boot;
	pumped = lab_pump(&pump);
	if (boot->file)
		fclose(boot->file);
	if (pumped == LAB_PUMP_TIMEOUT)
		return error_set(e, TK_EXIT_TIMEOUT, "lab: L1 does not boot; its last words: %s",
				 pump.last_line);
	if (pumped == LAB_PUMP_END)
		return lab_qemu_failed(qemu, boot->said[0] ? boot->said : pump.last_line, e);
	return 0;
}

/* "completed", "active", …; the caller frees it. */
static char *migration_status(struct lab_qemu *qemu)
{
	json_t *answer = lab_qmp(qemu, "query-migrate", NULL);
	const char *status = json_string_value(json_object_get(answer, "status"));
	char *copy = status ? strdup(status) : NULL;

	json_decref(answer);
	return copy;
}

static bool wait_saved(struct lab_qemu *qemu)
{
	uint64_t until_ns = host_monotonic_ns() + SAVE_TIMEOUT_NS;

	while (host_monotonic_ns() < until_ns) {
		char *status = migration_status(qemu);
		bool done = status && !strcmp(status, "completed");
		bool failed = !status || !strcmp(status, "failed");

		free(status);
		if (done || failed)
			return done;
		nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
	}
	return false;
}

/*
 * Through QEMU's monitor, in one go: by the port each byte would be a system call. In
 * real time the modules lie elsewhere, and nothing is counted by address.
 */
static int save_symbols(struct lab_qemu *qemu, const struct boot *boot)
{
	json_t *arguments = json_pack("{s:I, s:I, s:s}", "val", (json_int_t)boot->symbols.address,
				      "size", (json_int_t)boot->symbols.size, "filename",
				      LAB_KALLSYMS);
	json_t *answer = lab_qmp(qemu, "memsave", arguments);

	json_decref(answer);
	return answer ? 0 : -1;
}

/* QEMU works in the lab's directory: the shell that it starts sees a plain name. */
static int save(struct lab_qemu *qemu, const struct boot *boot, const char *path, struct error *e)
{
	char partial[2 * PATH_MAX], command[128];
	json_t *answer;

	snprintf(command, sizeof(command), "exec:cat >snapshot.%d", (int)getpid());
	snprintf(partial, sizeof(partial), "%s/snapshot.%d", boot->lab->dir, (int)getpid());
	if (lab_qmp_wait_stopped(qemu, SAVE_TIMEOUT_NS))
		return lab_qemu_failed(qemu, "L1 does not stop to be snapshotted", e);
	if (!boot->shape->real_time && save_symbols(qemu, boot))
		return lab_qemu_failed(qemu, "L1's symbols cannot be read", e);
	answer = lab_qmp(qemu, "migrate", json_pack("{s:s}", "uri", command));
	json_decref(answer);
	if (!answer || !wait_saved(qemu))
		return lab_qemu_failed(qemu, "L1 cannot be snapshotted", e);
	json_decref(lab_qmp(qemu, "quit", NULL));
	if (rename(partial, path))
		return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", path, strerror(errno));
	return 0;
}

static int boot_and_save(const struct lab *lab, const struct lab_shape *shape, const char *path,
			 struct error *e)
{
	struct boot boot = {.lab = lab, .shape = shape};
	const struct lab_options none = {0};
	struct lab_scratch scratch = {.dir = ""};
	struct lab_qemu qemu;
	int result = -1;

	if (lab_scratch_make(&scratch, e))
		return -1;
	if (lab_qemu_start(&qemu, lab, shape, scratch.dir, -1, &none, e) == 0 &&
	    wait_ready(&qemu, &boot, e) == 0)
		result = save(&qemu, &boot, path, e);
	lab_qemu_stop(&qemu);
	lab_scratch_remove(&scratch);
	return result;
}

int lab_snapshot(const struct lab *lab, const struct lab_shape *shape, struct error *e)
{
	char path[PATH_MAX];

	if (lab_snapshot_path(lab, shape, path))
		return 0;
	fprintf(stderr, "  BOOT    %s, %s, %u CPU%s\n", lab->name,
		shape->real_time ? "real time" : "instruction counting", shape->cpus,
		shape->cpus > 1 ? "s" : "");
	return boot_and_save(lab, shape, path, e);
}
