/* Metering this process's system calls: see syscalls.h. The reader is syscalls_reader.c. */
#include "syscalls.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../host_clock.h"
#include "syscalls_reader.h"
#include "syscalls_strace.h"

#define CALIBRATION_CALLS 20000
#define READY_TRIES	  5000 /* of 1 ms */

static const char *const names[SYSCALLS_MAX] = {
#include "syscall_names.h"
};

const char *syscall_name(unsigned number)
{
	return number < SYSCALLS_MAX ? names[number] : NULL;
}

/* The least of some rounds: what a call costs when nothing else comes between. */
static uint64_t call_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (unsigned round = 0; round < 4; round++) {
		uint64_t start_ns = host_monotonic_ns();

		for (unsigned i = 0; i < CALIBRATION_CALLS / 4; i++)
			syscall(SYSCALLS_CALIBRATION);
		start_ns = host_monotonic_ns() - start_ns;
		least_ns = start_ns < least_ns ? start_ns : least_ns;
	}
	return least_ns / (CALIBRATION_CALLS / 4);
}

void syscalls_explain(struct syscall_table *table, const char *format, ...)
{
	size_t length = strlen(table->why);
	va_list args;

	if (length)
		length += (size_t)snprintf(table->why + length, sizeof(table->why) - length, "; ");
	if (length >= sizeof(table->why))
		return;
	va_start(args, format);
	vsnprintf(table->why + length, sizeof(table->why) - length, format, args);
	va_end(args);
}

static void end_reader(struct syscalls *syscalls)
{
	while (waitpid(syscalls->reader, NULL, 0) < 0 && errno == EINTR)
		;
	syscalls->reader = 0;
}

int syscalls_await(struct syscalls *syscalls, bool (*is_ready)(const struct syscalls *))
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < READY_TRIES; i++) {
		if (is_ready(syscalls))
			return 0;
		if (waitpid(syscalls->reader, NULL, WNOHANG) == syscalls->reader) {
			int result = is_ready(syscalls) ? 0 : -1; /* it may have been just now */

			syscalls->reader = 0;
			return result;
		}
		nanosleep(&pause, NULL);
	}
	kill(syscalls->reader, SIGKILL);
	end_reader(syscalls);
	return -1;
}

static bool has_rings(const struct syscalls *syscalls)
{
	return atomic_load(&syscalls->table->ready);
}

static int start_tracepoints(struct syscalls *syscalls)
{
	pid_t process = getpid();

	syscalls->reader = fork();
	if (syscalls->reader == 0)
		syscalls_read(process, syscalls->table);
	return syscalls->reader > 0 ? syscalls_await(syscalls, has_rings) : -1;
}

static int start(struct syscalls *syscalls, enum syscalls_method method)
{
	if (method != SYSCALLS_STRACE && start_tracepoints(syscalls) == 0) {
		syscalls->method = SYSCALLS_TRACEPOINTS;
		return 0;
	}
	syscalls->method = SYSCALLS_STRACE;
	return method == SYSCALLS_TRACEPOINTS ? -1 : syscalls_strace_start(syscalls);
}

int syscalls_start(struct syscalls *syscalls, enum syscalls_method method, struct error *e)
{
	uint64_t untraced_ns = call_ns();

	syscalls->table = mmap(NULL, sizeof(*syscalls->table), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (syscalls->table == MAP_FAILED) {
		syscalls->table = NULL;
		return error_set(e, TK_EXIT_SKIPPED, "--syscalls: %s", strerror(errno));
	}
	if (start(syscalls, method)) {
		const char *why = syscalls->table->why;

		return error_set(e, TK_EXIT_SKIPPED, "--syscalls: %s",
				 why[0] ? why : "no reader started");
	}
	syscalls->overhead_ns = call_ns();
	syscalls->overhead_ns -= untraced_ns < syscalls->overhead_ns ? untraced_ns
								     : syscalls->overhead_ns;
	return 0;
}

static bool is_whole(const struct syscalls *syscalls)
{
	return atomic_load(&syscalls->table->whole);
}

/* The reader's end, which takes the kernel a while, is not waited for: a run's close is timed. */
static void stop_tracepoints(struct syscalls *syscalls)
{
	atomic_store(&syscalls->table->stop, true);
	if (syscalls_await(syscalls, is_whole))
		syscalls->table->lost++; /* of an unknown number */
}

static void stop_strace(struct syscalls *syscalls)
{
	kill(syscalls->reader, SIGINT);
	end_reader(syscalls);
	syscalls_strace_take(syscalls);
}

void syscalls_stop(struct syscalls *syscalls)
{
	if (!syscalls->table || syscalls->reader <= 0)
		return;
	if (syscalls->method == SYSCALLS_STRACE)
		stop_strace(syscalls);
	else
		stop_tracepoints(syscalls);
	syscalls->table->counts[SYSCALLS_CALIBRATION] = (struct syscall_count){0};
}

void syscalls_free(struct syscalls *syscalls)
{
	syscalls_stop(syscalls);
	if (syscalls->reader > 0)
		end_reader(syscalls);
	if (syscalls->table)
		munmap(syscalls->table, sizeof(*syscalls->table));
	syscalls->table = NULL;
}
