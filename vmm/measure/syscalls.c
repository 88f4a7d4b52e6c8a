/* Metering this process's system calls: see syscalls.h. The reader is syscalls_reader.c. */
#include "syscalls.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

static bool wait_ready(struct syscalls *syscalls)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < READY_TRIES; i++) {
		if (atomic_load(&syscalls->table->ready))
			return true;
		if (waitpid(syscalls->reader, NULL, WNOHANG) == syscalls->reader)
			break;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int start_tracepoints(struct syscalls *syscalls, struct error *e)
{
	pid_t process = getpid();
	const char *why = syscalls->table->why;

	syscalls->reader = fork();
	if (syscalls->reader == 0)
		syscalls_read(process, syscalls->table);
	if (syscalls->reader > 0 && wait_ready(syscalls))
		return 0;
	syscalls->reader = 0;
	return error_set(e, TK_EXIT_SKIPPED, "--syscalls: %s",
			 why[0] ? why : "its reader did not start");
}

static int start(struct syscalls *syscalls, enum syscalls_method method, struct error *e)
{
	if (method != SYSCALLS_STRACE && start_tracepoints(syscalls, e) == 0) {
		syscalls->method = SYSCALLS_TRACEPOINTS;
		return 0;
	}
	syscalls->method = SYSCALLS_STRACE;
	return method == SYSCALLS_TRACEPOINTS ? -1 : syscalls_strace_start(syscalls, e);
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
	if (start(syscalls, method, e))
		return -1;
	syscalls->overhead_ns = call_ns();
	syscalls->overhead_ns -= untraced_ns < syscalls->overhead_ns ? untraced_ns
								     : syscalls->overhead_ns;
	return 0;
}

static void stop_tracepoints(struct syscalls *syscalls)
{
	atomic_store(&syscalls->table->stop, true);
	while (waitpid(syscalls->reader, NULL, 0) < 0 && errno == EINTR)
		;
}

void syscalls_stop(struct syscalls *syscalls)
{
	if (!syscalls->table || syscalls->reader <= 0)
		return;
	if (syscalls->method == SYSCALLS_STRACE)
		syscalls_strace_stop(syscalls);
	else
		stop_tracepoints(syscalls);
	syscalls->table->counts[SYSCALLS_CALIBRATION] = (struct syscall_count){0};
	syscalls->reader = 0;
}

void syscalls_free(struct syscalls *syscalls)
{
	syscalls_stop(syscalls);
	if (syscalls->table)
		munmap(syscalls->table, sizeof(*syscalls->table));
	syscalls->table = NULL;
}
