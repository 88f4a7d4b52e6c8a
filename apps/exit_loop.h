/*
 * Loops of equal length around one instruction.
 *
 * Every loop made here runs three loads of the operands, the operation, and the
 * counter's two instructions, whatever the operation is, so that where ring 0 is
 * interpreted at a fixed cost an instruction two loops differ by their operations
 * alone. The operation finds its operands in EAX, ECX and RDX and may change these
 * and RBX.
 */
#ifndef TICKVM_EXIT_LOOP_H
#define TICKVM_EXIT_LOOP_H

#include <stdint.h>

struct operands {
	uint32_t eax, ecx;
	uint64_t rdx;
	uint32_t port; /* of EXIT_LOOP_5 */
};

/* A function that runs `operation` n > 0 times: 6 instructions a turn. */
#define EXIT_LOOP(name, operation)                                                         \
	static void name(uint64_t n, const struct operands *o)                             \
	{                                                                                  \
		__asm__ volatile(".balign 16\n"                                            \
				 "1:	movl	%[eax], %%eax\n"                                 \
				 "	movl	%[ecx], %%ecx\n"                                   \
				 "	movq	%[rdx], %%rdx\n"                                   \
				 "	" operation "\n"                                   \
				 "	subq	$1, %[n]\n"                                        \
				 "	jnz	1b\n"                                               \
				 : [n] "+&r"(n)                                            \
				 : [eax] "r"(o->eax), [ecx] "r"(o->ecx), [rdx] "r"(o->rdx) \
				 : "rax", "rbx", "rcx", "rdx", "memory", "cc");            \
	}

/*
 * The same around an interrupt that this CPU sends to itself by `send`, and takes,
 * handles and returns from in `wait`: a function that lets interrupts in by STI,
 * waits by one instruction, does CLI and returns, and changes no register but EAX.
 * 12 instructions a turn, and those of the interrupt.
 */
#define EXIT_LOOP_INTERRUPT(name, send, wait)                                               \
	static void name(uint64_t n, const struct operands *o)                              \
	{                                                                                   \
		__asm__ volatile(".balign 16\n"                                             \
				 "1:	movl	%[eax], %%eax\n"                                  \
				 "	movl	%[ecx], %%ecx\n"                                    \
				 "	movq	%[rdx], %%rdx\n"                                    \
				 "	" send "\n"                                         \
				 "	movl	%[port], %%edx\n"                                   \
				 "	call	" #wait "\n"                                \
				 "	subq	$1, %[n]\n"                                         \
				 "	jnz	1b\n"                                                \
				 : [n] "+&r"(n)                                             \
				 : [eax] "r"(o->eax), [ecx] "r"(o->ecx), [rdx] "r"(o->rdx), \
				   [port] "r"(o->port)                                      \
				 : "rax", "rbx", "rcx", "rdx", "memory", "cc");             \
	}

#endif
