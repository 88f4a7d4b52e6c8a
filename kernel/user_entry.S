/*
 * Into ring 3 and back (SDM vol. 3 § 5.8.7 for IRETQ, § 5.8.8 for SYSCALL and SYSRET).
 *
 * GS base is the same in both rings, as ring 3 has no means to change it: no SWAPGS.
 * While ring 3 runs, the kernel's stack goes on below the frame of user_enter(): TSS.RSP0
 * for interrupts and exceptions, CPU_KERNEL_RSP for SYSCALL, which changes no stack.
 */
#include "layout.h"

#define RFLAGS_IF_ONLY 0x202
#define NUMBER_EXIT    0 /* USER_EXIT */

	/*
	 * uint64_t user_enter(uint64_t (*fn)(void *), void *argument, uint64_t stack,
	 * struct tss *tss): RSP is a multiple of 16 after the eight words.
	 */
	.text
	.globl user_enter, user_leave
user_enter:
	pushq %rbp
	movq %rsp, %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	pushfq
	movq %rsp, %gs:CPU_KERNEL_RSP
	movq %rsp, TSS_RSP0(%rcx)
	pushq $SELECTOR_USER_DATA
	pushq %rdx
	pushq $RFLAGS_IF_ONLY
	pushq $SELECTOR_USER_CODE64
	pushq $user_start
	iretq

	/* void user_leave(uint64_t value): makes user_enter() return it. */
user_leave:
	movq %rdi, %rax
	movq %gs:CPU_KERNEL_RSP, %rsp
	movl $SELECTOR_DATA, %ecx
	movl %ecx, %ss
	popfq
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret

	/* Ring 3 begins: fn in RDI, its argument in RSI; a backtrace ends here. */
user_start:
	xorl %ebp, %ebp
	call user_main
	movq %rax, %rsi
	movl $NUMBER_EXIT, %edi
	call user_syscall

	/* uint64_t user_syscall(uint64_t number, uint64_t argument) */
	.globl user_syscall, user_gate_syscall, user_gate_ud2
user_syscall:
	jmp *%gs:CPU_USER_GATE
user_gate_syscall:
	syscall
	ret
user_gate_ud2: /* trap.c steps over it */
	ud2
	ret

	/* SYSCALL left the return address in RCX and RFLAGS in R11; interrupts are off. */
	.globl syscall_entry
syscall_entry:
	movq %rsp, %gs:CPU_USER_RSP
	movq %gs:CPU_KERNEL_RSP, %rsp
	pushq %gs:CPU_USER_RSP
	pushq %rcx
	pushq %r11
	subq $8, %rsp
	call user_dispatch
	addq $8, %rsp
	popq %r11
	popq %rcx
	popq %rsp
	sysretq

	/*
	 * uint64_t syscall_probe(void *): 1 if SYSCALL enters ring 0 and SYSRET leaves it.
	 * Where it stays in ring 3, SYSRET would be a fault: a jump goes back.
	 */
	.globl syscall_probe, syscall_probe_entry
syscall_probe:
	syscall
	movl %cs, %ecx
	andl $3, %ecx
	xorl $3, %ecx /* 0: ring 3 again */
	orl %ecx, %eax
	xorl $1, %eax
	andl $1, %eax
	ret
syscall_probe_entry:
	movl %cs, %eax
	andl $3, %eax
	jnz 1f
	sysretq
1:	jmp *%rcx

	.section .note.GNU-stack, "", @progbits
