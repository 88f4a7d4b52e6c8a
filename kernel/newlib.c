/*
 * What newlib asks of a system (its manual, "System Calls" and "Reentrancy"): the
 * console as three descriptors, the heap, time, a reentrancy structure a CPU.
 *
 * errno is the calling CPU's own, through __getreent(). All CPUs share the boot
 * CPU's stdin, stdout and stderr, each of which has a lock.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "boot.h"
#include "clock.h"
#include "console.h"
#include "fault.h"
#include "memory.h"
#include "pair.h"

#define NS_PER_S      1000000000ll
#define NS_PER_US     1000
#define STDIN_POLL_NS 1000000

struct _reent *__getreent(void)
{
	return this_cpu()->reent;
}

/* Line-buffered in a buffer of our own: a write a line, and no allocation. */
void newlib_init(void)
{
	static char buffer[BUFSIZ];

	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
}

void newlib_add_cpu(struct cpu *cpu)
{
	struct _reent *own = &cpu->own_reent;

	_REENT_INIT_PTR_ZEROED(own);
	own->_stdin = _GLOBAL_REENT->_stdin;
	own->_stdout = _GLOBAL_REENT->_stdout;
	own->_stderr = _GLOBAL_REENT->_stderr;
	own->__sdidinit = 1; /* or newlib would set the shared streams up once more */
	cpu->reent = own;
}

/* ---- descriptors --------------------------------------------------------- */

int write(int fd, const void *data, size_t length)
{
	if (fd != STDOUT_FILENO && fd != STDERR_FILENO) {
		errno = EBADF;
		return -1;
	}
	console_write(data, length);
	return length;
}

/* Waits for the first byte, then takes what is there, up to the end of a line. */
int read(int fd, void *data, size_t length)
{
	char *to = data;
	size_t n = 0;

	if (fd != STDIN_FILENO) {
		errno = EBADF;
		return -1;
	}
	while (n < length) {
		int c = console_read();

		if (c < 0 && n)
			break;
		if (c < 0) {
			clock_sleep_until(clock_now_ns() + STDIN_POLL_NS);
			continue;
		}
		to[n++] = c == '\r' ? '\n' : c; /* what a terminal's Enter sends */
		if (to[n - 1] == '\n')
			break;
	}
	return n;
}

int fstat(int fd, struct stat *status)
{
	if (fd < STDIN_FILENO || fd > STDERR_FILENO) {
		errno = EBADF;
		return -1;
	}
	status->st_mode = S_IFCHR;
	return 0;
}

int isatty(int fd)
{
	return fd >= STDIN_FILENO && fd <= STDERR_FILENO;
}

int close(int fd)
{
	errno = EBADF;
	return -1;
}

off_t lseek(int fd, off_t offset, int whence)
{
	errno = ESPIPE;
	return -1;
}

/* ---- memory and the end -------------------------------------------------- */

void *sbrk(ptrdiff_t bytes)
{
	return heap_move(bytes);
}

void _exit(int code)
{
	pair_exit(code);
}

pid_t getpid(void)
{
	return 1;
}

int kill(pid_t pid, int signal)
{
	fault_stop("ended by a signal");
}

void abort(void)
{
	fault_stop("abort");
}

void __assert_func(const char *file, int line, const char *function, const char *condition)
{
	fflush(stdout);
	fprintf(stderr, "tickvm: %s:%d: %s: assertion failed: %s\n", file, line,
		function ? function : "", condition);
	fault_stop("assertion failed");
}

/* ---- time ---------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *time)
{
	uint64_t ns;

	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
		errno = EINVAL;
		return -1;
	}
	ns = clock == CLOCK_REALTIME ? (uint64_t)clock_wall_ns() : clock_now_ns();
	time->tv_sec = ns / NS_PER_S;
	time->tv_nsec = ns % NS_PER_S;
	return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	int64_t ns = clock_wall_ns();

	time->tv_sec = ns / NS_PER_S;
	time->tv_usec = ns % NS_PER_S / NS_PER_US;
	return 0;
}

/* Nothing interrupts a sleep: there are no signals. */
int nanosleep(const struct timespec *request, struct timespec *remaining)
{
	if (request->tv_sec < 0 || request->tv_nsec < 0 || request->tv_nsec >= NS_PER_S) {
		errno = EINVAL;
		return -1;
	}
	clock_sleep_until(clock_now_ns() + request->tv_sec * NS_PER_S + request->tv_nsec);
	if (remaining)
		*remaining = (struct timespec){0};
	return 0;
}
