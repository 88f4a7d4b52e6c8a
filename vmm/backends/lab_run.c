/*
 * Runs one job in a lab: see lab.h. The manifest and the files go in by fw_cfg, the
 * resumed L1 takes them, and its frames come back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../host_clock.h"
#include "lab.h"
#include "lab_frames.h"
#include "lab_intake.h"
#include "lab_qemu.h"
#include "lab_scratch.h"

#define LOAD_TIMEOUT_NS (60 * NS_PER_S)

/* One try; too large for a stack. */
struct attempt {
	const struct lab *lab;
	const struct lab_job *job;
	struct lab_scratch scratch;
	struct lab_qemu qemu;
	struct lab_frames frames;
	struct lab_intake intake;
	struct lab_pump pump;
	int snapshot_fd;
};

static void write_events(FILE *manifest, const char *events)
{
	while (events && *events) {
		size_t length = strcspn(events, ",");

		fprintf(manifest, "trace=%.*s%c", (int)length, events, 0);
		events += length + (events[length] == ',');
	}
}

/* See lab_protocol.h. */
static int write_manifest(const struct lab_job *job, const char *path, struct error *e)
{
	FILE *manifest = fopen(path, "we");
	bool bad;

	if (!manifest)
		return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", path, strerror(errno));
	for (unsigned i = 0; i < job->input_count; i++)
		fprintf(manifest, "file=%s%c", job->inputs[i].name, 0);
	write_events(manifest, job->trace_events);
	if (job->result)
		fprintf(manifest, "out=%s%c", job->result, 0);
	for (unsigned i = 0; i < job->arg_count; i++)
		fprintf(manifest, "arg=%s%c", job->args[i], 0);
	bad = ferror(manifest);
	if (fclose(manifest) || bad)
		return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", path, strerror(errno));
	return 0;
}

static int add_inputs(struct lab_options *options, const struct attempt *attempt, struct error *e)
{
	const struct lab_job *job = attempt->job;
	char path[PATH_MAX], name[64];

	snprintf(path, sizeof(path), "%s/manifest", attempt->scratch.dir);
	if (write_manifest(job, path, e))
		return -1;
	lab_option_file(options, LAB_MANIFEST, path);
	for (unsigned i = 0; i < job->input_count; i++) {
		if (!realpath(job->inputs[i].path, path))
			return error_set(e, TK_EXIT_USAGE, "lab: %s: %s", job->inputs[i].path,
					 strerror(errno));
		snprintf(name, sizeof(name), LAB_FILE "%u", i);
		lab_option_file(options, name, path);
	}
	return 0;
}

static void add_watchers(struct lab_options *options, const struct lab_job *job)
{
	if (job->plugin_option) {
		lab_option(options, "-plugin");
		lab_option(options, "%s", job->plugin_option);
	}
	if (job->gdb) {
		lab_option(options, "-S");
		lab_option(options, "-gdb");
		lab_option(options, "tcp:" LAB_GDB_ADDRESS);
	}
}

static int open_snapshot(struct attempt *attempt, struct error *e)
{
	char path[PATH_MAX];

	if (attempt->job->gdb == LAB_GDB_START)
		return 0;
	lab_snapshot_path(attempt->lab, &attempt->job->shape, path);
	attempt->snapshot_fd = open(path, O_RDONLY); /* QEMU inherits it */
	if (attempt->snapshot_fd < 0)
		return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", path, strerror(errno));
	return 0;
}

static int start(struct attempt *attempt, struct error *e)
{
	const struct lab_job *job = attempt->job;
	struct lab_options options = {0};
	int result = add_inputs(&options, attempt, e) || open_snapshot(attempt, e) ? -1 : 0;

	if (!result) {
		add_watchers(&options, job);
		result = lab_qemu_start(&attempt->qemu, attempt->lab, &job->shape,
					attempt->scratch.dir, attempt->snapshot_fd, &options, e);
	}
	lab_options_free(&options);
	if (attempt->snapshot_fd >= 0)
		close(attempt->snapshot_fd);
	return result;
}

/* L1 was snapshotted as it stood still: it goes on when told to, by us or by gdb. */
static int resume(struct attempt *attempt, struct error *e)
{
	json_t *answer;

	if (attempt->job->gdb)
		return lab_gdb_script(attempt->lab, &attempt->job->shape, e);
	if (lab_qmp_wait_stopped(&attempt->qemu, LOAD_TIMEOUT_NS))
		return lab_qemu_failed(&attempt->qemu, "the snapshot does not load", e);
	answer = lab_qmp(&attempt->qemu, "cont", NULL);
	json_decref(answer);
	return answer ? 0 : lab_qemu_failed(&attempt->qemu, "L1 does not resume", e);
}

static int follow(struct attempt *attempt, struct error *e)
{
	const struct lab_job *job = attempt->job;
	struct lab_pump *pump = &attempt->pump;

	attempt->frames.on_frame = lab_intake_frame;
	attempt->frames.owner = &attempt->intake;
	pump->qemu = &attempt->qemu;
	pump->frames = &attempt->frames;
	pump->heartbeat = job->shape.real_time;
	pump->console = job->console;
	pump->deadline_ns = job->gdb ? 0 : host_monotonic_ns() + job->timeout_ns;
	if (lab_pump(pump) == LAB_PUMP_TIMEOUT)
		return error_set(e, TK_EXIT_TIMEOUT, "lab: time-out after %.1f s",
				 (double)job->timeout_ns / NS_PER_S);
	if (attempt->frames.broken)
		return error_set(e, TK_EXIT_FAIL, "lab: L1 sent what is no frame");
	if (!attempt->intake.exited)
		return lab_qemu_failed(&attempt->qemu, pump->last_line, e);
	return 0;
}

static int try_once(const struct lab *lab, const struct lab_job *job, struct lab_outcome *outcome,
		    struct error *e)
{
	struct attempt *attempt = calloc(1, sizeof(*attempt));
	int result = -1;

	if (!attempt)
		return error_set(e, TK_EXIT_FAIL, "lab: out of memory");
	attempt->lab = lab;
	attempt->job = job;
	attempt->snapshot_fd = -1;
	lab_intake_begin(&attempt->intake, job, outcome);
	if (lab_scratch_make(&attempt->scratch, e) == 0) {
		if (start(attempt, e) == 0 && resume(attempt, e) == 0)
			result = follow(attempt, e);
		lab_qemu_stop(&attempt->qemu);
		lab_scratch_remove(&attempt->scratch);
	}
	if (lab_intake_finish(&attempt->intake, e))
		result = -1;
	free(attempt);
	return result;
}

int lab_run(const struct lab *lab, const struct lab_job *job, struct lab_outcome *outcome,
	    struct error *e)
{
	uint64_t began_ns = host_monotonic_ns();
	int result;

	memset(outcome, 0, sizeof(*outcome));
	result = try_once(lab, job, outcome, e);
	if (result && e->exit_code == TK_EXIT_TIMEOUT && job->shape.real_time) {
		fprintf(stderr, "tickvm: %s; once more\n", e->text);
		lab_outcome_free(outcome);
		outcome->retries = 1;
		result = try_once(lab, job, outcome, e);
	}
	outcome->wall_ns = host_monotonic_ns() - began_ns;
	return result;
}

void lab_outcome_free(struct lab_outcome *outcome)
{
	free(outcome->result);
	free(outcome->held_stderr);
	json_decref(outcome->warnings);
	memset(outcome, 0, sizeof(*outcome));
}
