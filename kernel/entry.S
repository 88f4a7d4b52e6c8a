/*
 * Interrupt and exception entry (SDM vol. 3 § 6.14): 256 stubs, the static IDT
 * that points at them, and the way into C and back.
 *
 * The processor aligns RSP to 16 and pushes five words; a stub adds the error code
 * where the processor did not, and the vector; fifteen registers follow. That is
 * 22 words, so that RSP is a multiple of 16 at the call, as the ABI wants it.
 *
 * Ring 3 shares the GS base: no SWAPGS. A frame from there has the same shape, on the
 * stack that the TSS names (user_entry.S).
 */
#include "layout.h"

#define GATE_INTERRUPT 0x8e

	.section .vectors, "ax"
	.globl vectors, vectors_base
	.set vectors_base, VECTORS_BASE
vectors:
	.set vector, 0
	.rept 256
	.balign VECTOR_STUB_SIZE, 0xcc
	.set pushed, 0
	.if vector < EXCEPTIONS
	.set pushed, PUSH_ERROR_CODE >> vector & 1
	.endif
	.if !pushed
	pushq $0
	.endif
	pushq $vector
	jmp trap_entry
	.set vector, vector + 1
	.endr

	.macro push_registers
	.irp register, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	pushq %\register
	.endr
	.endm

	.macro pop_registers
	.irp register, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax
	popq %\register
	.endr
	.endm

	.text
trap_entry:
	push_registers
	cld
	movq %rsp, %rdi
#ifdef TICKVM_MUTANTS
	movq %rsp, %rbx
	cmpb $0, mutant_isr_misaligned
	je 1f
	subq $8, %rsp
1:	cmpb $0, mutant_isr_clobbers_fpu
	je 2f
	fxrstor fpu_zero
2:
#endif
	call trap_dispatch
#ifdef TICKVM_MUTANTS
	movq %rbx, %rsp
#endif
	pop_registers
	addq $16, %rsp
	iretq

	/*
	 * void cpu_halt(void). The label is where a host that loses the STI shadow
	 * lets the interrupt in; irq.c then steps over the HLT.
	 */
	.globl cpu_halt, cpu_halt_hlt
cpu_halt:
	sti
cpu_halt_hlt:
	hlt
	cli
	ret

	/*
	 * bool trap_call(struct trap_recovery *recovery, void (*fn)(void *), void *argument)
	 * keeps the stack pointer in the recovery's first word; trap.c resumes a caught
	 * fault at trap_recover with that RSP.
	 */
	.globl trap_call, trap_recover
trap_call:
	pushq %rbp
	movq %rsp, %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	movq %rsp, (%rdi)
	movq %rdx, %rdi
	call *%rsi
	xorl %eax, %eax
1:	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
trap_recover:
	movl $1, %eax
	jmp 1b

	.section .rodata, "a"
	.balign 16
	.globl idt_pointer
idt_pointer:
	.short 256 * 16 - 1
	.quad idt
	.balign 16
idt:
	.set vector, 0
	.rept 256
	.set stub, VECTORS_BASE + vector * VECTOR_STUB_SIZE
	.set ist, 0
	.if vector == 2
	.set ist, IST_NMI
	.elseif vector == 8
	.set ist, IST_DOUBLE_FAULT
	.elseif vector >= 12 && vector <= 14
	.set ist, IST_MEMORY_FAULT
	.elseif vector == 18
	.set ist, IST_MACHINE_CHECK
	.endif
	.short stub & 0xffff, SELECTOR_CODE64
	.byte ist, GATE_INTERRUPT
	.short stub >> 16
	.long 0, 0
	.set vector, vector + 1
	.endr

#ifdef TICKVM_MUTANTS
	.bss
	.balign 16
fpu_zero:
	.fill 512
#endif

	.section .note.GNU-stack, "", @progbits
