/*
 * The VMM's system calls, as strace -c shows them: calls, errors and time of each, of all
 * threads of this process.
 *
 * They are counted by the kernel's tracepoints raw_syscalls:sys_enter and sys_exit through
 * perf_event_open(2), whose rings a process of its own reads, so that it does not observe
 * itself; where that is not permitted, by strace. What a metered call costs more is measured
 * before the guest starts.
 */
#ifndef TICKVM_MEASURE_SYSCALLS_H
#define TICKVM_MEASURE_SYSCALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

#define SYSCALLS_MAX 512 /* numbers from 0 on: x86-64 has fewer */

struct syscall_count {
	uint64_t calls, errors;
	uint64_t ns; /* between entry and return, blocked or not */
};

/* Shared between the two processes. */
struct syscall_table {
	struct syscall_count counts[SYSCALLS_MAX];
	uint64_t lost; /* records that no reader took, or more: the counts are then too low */
	atomic_bool ready, stop, whole;
	char why[160]; /* a reader cannot: set before it ends */
};

enum syscalls_method { SYSCALLS_AUTO, SYSCALLS_TRACEPOINTS, SYSCALLS_STRACE };

struct syscalls {
	enum syscalls_method method;
	struct syscall_table *table; /* NULL: not metered */
	pid_t reader;
	int output_fd;	      /* strace's */
	uint64_t overhead_ns; /* that a traced call takes more than an untraced one */
};

/*
 * Begins, before the threads that are to be seen are there. -1 with exit code 77: this host
 * does not permit it.
 */
int syscalls_start(struct syscalls *syscalls, enum syscalls_method method, struct error *e);

/* For the two ways of metering: adds why one is not to be had. */
void syscalls_explain(struct syscall_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Likewise: waits until it meters. -1: its process has ended, or was too slow and was ended. */
int syscalls_await(struct syscalls *syscalls, bool (*is_ready)(const struct syscalls *));

/* Ends; the table is then whole, until syscalls_free(). */
void syscalls_stop(struct syscalls *syscalls);
void syscalls_free(struct syscalls *syscalls);

/* "futex"; NULL: the number has no name here. */
const char *syscall_name(unsigned number);

#endif
