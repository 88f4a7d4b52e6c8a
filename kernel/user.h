/*
 * Ring 3: a function in user mode, and its system calls.
 *
 * It is there to measure what a program costs that is not the kernel, on hosts too
 * where that is the only mode that runs direct. It protects nothing: there is one
 * address space, in which ring 3 may read and write all, and it may use every port.
 *
 * In ring 3 interrupts are on, and CLI, STI, HLT and MSRs are out of reach: no lock, no
 * printf, no malloc, no halting. Ports, the TSC and memory work as they do elsewhere;
 * what needs the kernel is asked for by a system call. A fault there is reported as any
 * other is, and may be expected by trap_expect() around user_call().
 */
#ifndef TICKVM_USER_H
#define TICKVM_USER_H

#include <stdint.h>

/* Runs fn(argument) in ring 3 on a stack of its own and returns its value. Does not nest. */
uint64_t user_call(uint64_t (*fn)(void *argument), void *argument);

enum user_number {
	USER_EXIT, /* the kernel's: what user_call()'s function returns by */
	USER_APP,  /* .. USER_NUMBERS - 1: free for apps */
	USER_NUMBERS = 8,
};

/* Runs in ring 0 with interrupts off, on the stack below user_call()'s. */
typedef uint64_t user_handler(uint64_t argument);

/* Handler of a system call. Set it before ring 3 makes that call; without one it returns -1. */
void user_attach(unsigned number, user_handler *handler);

/* From ring 3 only. Does what a C function may do to registers, and no more. */
uint64_t user_syscall(uint64_t number, uint64_t argument);

/*
 * How this CPU's ring 3 enters the kernel: "syscall", where SYSCALL and SYSRET turn out
 * to change the ring, else "ud2", an invalid opcode, whose exception any host delivers
 * from ring 3 (an interpreting KVM has no INT n, and its SYSCALL stays in ring 3).
 */
const char *user_gate_name(void);

#endif
