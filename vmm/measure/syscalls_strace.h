/*
 * System calls by strace -c, where the tracepoints are not to be had: it attaches to this
 * process by ptrace(2), which makes each call several times as slow.
 */
#ifndef TICKVM_MEASURE_SYSCALLS_STRACE_H
#define TICKVM_MEASURE_SYSCALLS_STRACE_H

#include "syscalls.h"

struct error;

/* Returns when it is attached. -1 with exit code 77: there is no strace, or it may not. */
int syscalls_strace_start(struct syscalls *syscalls, struct error *e);

/* Detaches it and fills the table from what it prints. */
void syscalls_strace_stop(struct syscalls *syscalls);

#endif
