/*
 * What L1's kernel can say of a run: its tracepoints (Documentation/trace/ftrace.rst),
 * its log, and where its code lies.
 */
#define _GNU_SOURCE
#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <unistd.h>

#define KALLSYMS_MAX (16ul << 20) /* some 4 MiB are in use */

#define TRACEFS "/sys/kernel/tracing/"

/* Room for the trace of a run, in the kernel's memory. */
#define TRACE_BUFFER_KIB "32768"

/* syslog(2) */
#define LOG_READ_ALL   3
#define LOG_CLEAR      5
#define LOG_SIZE       10
#define LOG_NO_CONSOLE 6

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return length < 0 ? -1 : 0;
}

void trace_start(const char *const *events, unsigned count)
{
	if (!count)
		return;
	write_text(TRACEFS "buffer_size_kb", TRACE_BUFFER_KIB);
	for (unsigned i = 0; i < count; i++) {
		if (write_text(TRACEFS "set_event", events[i]))
			send_text(LAB_FRAME_STDERR, "tickvm: lab: no trace event %s: %s\n",
				  events[i], strerror(errno));
	}
	write_text(TRACEFS "tracing_on", "1");
}

void trace_send(void)
{
	write_text(TRACEFS "tracing_on", "0");
	send_file(LAB_TRACE, TRACEFS "trace");
}

void kernel_log_clear(void)
{
	klogctl(LOG_CLEAR, NULL, 0);
}

static bool is_bad(const char *line)
{
	static const char *const signs[] = {
		"WARNING:",
		"BUG:",
		"BUG ",
		"Oops",
		"general protection",
		"INFO: ",
		"UBSAN:",
		"KASAN:",
		"page allocation failure",
		"kernel BUG",
		"inconsistent lock state",
		"suspicious RCU usage",
		"stack guard page",
	};

	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(line, signs[i]))
			return true;
	return false;
}

void kernel_log_check(void)
{
	int size = klogctl(LOG_SIZE, NULL, 0);
	char *text = size > 0 ? calloc(1, (size_t)size + 1) : NULL;

	if (!text || klogctl(LOG_READ_ALL, text, size) < 0)
		return;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (is_bad(line))
			send_frame(LAB_FRAME_WARNING, line, strlen(line));
	free(text);
}

/* "kvm .text 0xffffffffc0400000" for each module: what gdb's add-symbol-file takes. */
static void write_sections(FILE *out)
{
	DIR *modules = opendir("/sys/module");

	for (const struct dirent *entry; modules && (entry = readdir(modules));) {
		char path[300], address[32];
		FILE *text;

		snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", entry->d_name);
		text = fopen(path, "r");
		if (!text)
			continue;
		if (fscanf(text, "%31s", address) == 1)
			fprintf(out, "%s .text %s\n", entry->d_name, address);
		fclose(text);
	}
	if (modules)
		closedir(modules);
}

void sections_send(void)
{
	FILE *out = fopen(LAB_WORK_DIR "/" LAB_SECTIONS, "w");

	if (out) {
		write_sections(out);
		fclose(out);
	}
	send_file(LAB_SECTIONS, LAB_WORK_DIR "/" LAB_SECTIONS);
}

/* In one piece, so that QEMU's monitor can take it out of the machine that stands still. */
struct lab_memory kallsyms_read(void)
{
	char *text = mmap(NULL, KALLSYMS_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct lab_memory memory = {.address = (uintptr_t)text};
	ssize_t length;

	while (text != MAP_FAILED && memory.size < KALLSYMS_MAX &&
	       (length = read(fd, text + memory.size, KALLSYMS_MAX - memory.size)) > 0)
		memory.size += (uint64_t)length;
	close(fd);
	return memory;
}
