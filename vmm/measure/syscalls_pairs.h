/*
 * Entries into system calls and returns from them, made into counts: each return belongs to
 * the entry of the same thread before it.
 */
#ifndef TICKVM_MEASURE_SYSCALLS_PAIRS_H
#define TICKVM_MEASURE_SYSCALLS_PAIRS_H

#include <stdint.h>

#include "syscalls.h"

#define SYSCALLS_THREADS_MAX 256 /* calls of more threads are counted, but not timed */

/* The call that a thread is in; number -1: in none. */
struct open_call {
	uint32_t thread;
	int64_t number;
	uint64_t since_ns;
};

struct syscall_pairs {
	struct open_call open[SYSCALLS_THREADS_MAX];
	unsigned threads;
};

void syscall_entered(struct syscall_pairs *pairs, uint32_t thread, int64_t number,
		     uint64_t time_ns);

/* `result` as the kernel has it: an error below 0. */
void syscall_returned(struct syscall_pairs *pairs, uint32_t thread, int64_t number, int64_t result,
		      uint64_t time_ns, struct syscall_table *table);

#endif
