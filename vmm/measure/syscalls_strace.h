/*
 * System calls by strace -c, where the tracepoints are not to be had: it attaches to this
 * process by ptrace(2), which makes each call several times as slow.
 */
#ifndef TICKVM_MEASURE_SYSCALLS_STRACE_H
#define TICKVM_MEASURE_SYSCALLS_STRACE_H

#include <stdio.h>

#include "syscalls.h"

/* Returns when it is attached. -1, explained: there is no strace, or it may not. */
int syscalls_strace_start(struct syscalls *syscalls);

/* What it printed when it was interrupted, into the table. */
void syscalls_strace_take(struct syscalls *syscalls);
void syscalls_strace_parse(FILE *output, struct syscall_table *table);

#endif
