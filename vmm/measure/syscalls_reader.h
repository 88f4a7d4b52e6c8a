/* The process that reads the tracepoints' rings. */
#ifndef TICKVM_MEASURE_SYSCALLS_READER_H
#define TICKVM_MEASURE_SYSCALLS_READER_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "syscalls.h"

/* The call by which the overhead is measured: tickvm makes it for nothing else. */
#define SYSCALLS_CALIBRATION SYS_getppid

/*
 * Fills the table with the system calls of all threads that `process` will have, until it
 * is told to stop, and exits; at once, with `why` set, where this host does not permit it.
 */
_Noreturn void syscalls_read(pid_t process, struct syscall_table *table);

#endif
