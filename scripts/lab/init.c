/*
 * /init of the lab's nested host (L1): the whole of its userspace, linked statically.
 *
 * Loads KVM, says that it is ready and stops the machine, which is then snapshotted.
 * In the machine that is resumed from there, a manifest lies in fw_cfg: it places the
 * files, runs the program, passes on what it prints, sends the files that are wanted
 * and ends the emulator. vmm/backends/lab_protocol.h has the words.
 */
#define _GNU_SOURCE
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 256

struct manifest {
	const char *args[WORDS_MAX + 1], *events[WORDS_MAX], *outs[WORDS_MAX];
	unsigned arg_count, event_count, out_count, file_count;
};

static _Noreturn void end(int code)
{
	int32_t value = code;

	send_frame(LAB_FRAME_EXIT, &value, sizeof(value));
	outb(0, LAB_PORT_END);
	abort(); /* a panic: nothing answers at that port */
}

static void mount_all(void)
{
	static const struct {
		const char *kind, *where;
	} mounts[] = {
		{"devtmpfs", "/dev"},
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"debugfs", "/sys/kernel/debug"},
		{"tracefs", "/sys/kernel/tracing"},
		{"tmpfs", LAB_WORK_DIR},
		{"tmpfs", "/tmp"},
	};

	for (unsigned i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].where, 0755);
		mount(mounts[i].kind, mounts[i].where, mounts[i].kind, 0, NULL);
	}
}

/* The modules of /modules, in the order that their dependencies want. */
static void load_modules(void)
{
	FILE *order = fopen("/modules/order", "r");
	char name[64], path[80];

	while (order && fscanf(order, "%63s", name) == 1) {
		snprintf(path, sizeof(path), "/modules/%s", name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0)) {
			send_text(LAB_FRAME_STDERR, "tickvm: lab: %s does not load: %s\n", name,
				  strerror(errno));
			end(1);
		}
		close(fd);
	}
	if (order)
		fclose(order);
}

static void place_file(unsigned number, const char *name)
{
	struct fw_cfg_file file;
	char from[64], path[256];

	snprintf(from, sizeof(from), LAB_FILE "%u", number);
	snprintf(path, sizeof(path), LAB_WORK_DIR "/%s", name);
	if (fw_cfg_find(from, &file) && fw_cfg_save(&file, path) == 0)
		return;
	send_text(LAB_FRAME_STDERR, "tickvm: lab: %s cannot be placed in L1: %s\n", name,
		  strerror(errno));
	end(1);
}

static void take_line(struct manifest *manifest, const char *line)
{
	if (!strncmp(line, "file=", 5))
		place_file(manifest->file_count++, line + 5);
	else if (!strncmp(line, "trace=", 6) && manifest->event_count < WORDS_MAX)
		manifest->events[manifest->event_count++] = line + 6;
	else if (!strncmp(line, "out=", 4) && manifest->out_count < WORDS_MAX)
		manifest->outs[manifest->out_count++] = line + 4;
	else if (!strncmp(line, "arg=", 4) && manifest->arg_count < WORDS_MAX)
		manifest->args[manifest->arg_count++] = line + 4;
}

/* False: there is none. Its text stays in memory. */
static bool read_manifest(struct manifest *manifest)
{
	struct fw_cfg_file file;

	if (!fw_cfg_find(LAB_MANIFEST, &file))
		return false;
	for (const char *text = fw_cfg_load(&file), *line = text; line < text + file.size;
	     line += strlen(line) + 1)
		take_line(manifest, line);
	return manifest->arg_count > 0;
}

static _Noreturn void become(const struct manifest *manifest, int out, int err)
{
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	/* A thread that may use ports has an I/O bitmap, which each of its exits would swap. */
	iopl(0);
	if (chdir(LAB_WORK_DIR) == 0)
		execv(manifest->args[0], (char *const *)manifest->args);
	fprintf(stderr, "tickvm: lab: %s cannot be executed in L1: %s\n", manifest->args[0],
		strerror(errno));
	_exit(127);
}

/* Passes on what the program prints until it has closed both ends. */
static void relay(int out, int err)
{
	static char data[LAB_FRAME_MAX];
	struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	static const unsigned kinds[2] = {LAB_FRAME_STDOUT, LAB_FRAME_STDERR};

	while (ends[0].fd >= 0 || ends[1].fd >= 0) {
		poll(ends, 2, -1);
		for (int i = 0; i < 2; i++) {
			ssize_t length;

			if (!ends[i].revents)
				continue;
			length = read(ends[i].fd, data, sizeof(data));
			if (length > 0)
				send_frame(kinds[i], data, (size_t)length);
			else
				ends[i].fd = -1;
		}
	}
}

/* The relay must not take the CPU from what is measured: it runs when nothing else does. */
static void step_aside(void)
{
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
}

/* Exit code, or 128 + signal. */
static int run_program(const struct manifest *manifest)
{
	int out[2], err[2], status = 0;
	pid_t child;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		abort();
	child = fork();
	if (child == 0)
		become(manifest, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	step_aside();
	relay(out[0], err[0]);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void send_outs(const struct manifest *manifest)
{
	char path[256];

	for (unsigned i = 0; i < manifest->out_count; i++) {
		snprintf(path, sizeof(path), LAB_WORK_DIR "/%s", manifest->outs[i]);
		send_file(manifest->outs[i], path);
	}
}

/* L1 goes on from here in each machine that is resumed. */
static void stop_for_snapshot(void)
{
	struct lab_memory symbols = kallsyms_read();

	sections_send();
	send_frame(LAB_FRAME_READY, &symbols, sizeof(symbols));
	stop_here();
}

int main(void)
{
	static struct manifest manifest;
	struct fw_cfg_file file;
	int code;

	mount_all();
	iopl(3);
	load_modules();
	if (!fw_cfg_find(LAB_MANIFEST, &file)) {
		stop_for_snapshot();
	}
	if (!read_manifest(&manifest))
		end(1);
	kernel_log_clear();
	trace_start(manifest.events, manifest.event_count);
	code = run_program(&manifest);
	if (manifest.event_count)
		trace_send();
	send_outs(&manifest);
	kernel_log_check();
	end(code);
}
