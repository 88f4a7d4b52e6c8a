/*
 * Guests of the series' tests: 64-bit code that is copied to where it runs.
 *
 * On entry: rcx operations, dx port, rdi where samples go. Each ends by a write
 * to TEST_PORT_END, in a form that lets it be entered again.
 */
#define TEST_PORT_END   0xf4
#define TEST_PORT_RAISE 0xf0
#define MSR_APIC_BASE 0x1b
#define X2APIC_TPR    0x808
#define X2APIC_EOI    0x80b
#define X2APIC_SVR    0x80f
#define X2APIC_LVTT   0x832
#define X2APIC_TMICT  0x838
#define X2APIC_TDCR   0x83e
#define TSC_DEADLINE  0x6e0
#define TIMER_VECTOR  0x20

	.macro guest name
	.globl \name, \name\()_end
\name:
	.endm

	.macro write_msr number, low
	movl $\number, %ecx
	movl \low, %eax
	xorl %edx, %edx
	wrmsr
	.endm

	.section .rodata
	.code64

	guest guest_read4
1:	inl %dx, %eax
	movl %eax, (%rdi)
	addq $4, %rdi
	decq %rcx
	jnz 1b
	outb %al, $TEST_PORT_END
guest_read4_end:

	guest guest_read4_string
	rep insl
	outb %al, $TEST_PORT_END
guest_read4_string_end:

	guest guest_read1
1:	inb %dx, %al
	decq %rcx
	jnz 1b
	outb %al, $TEST_PORT_END
guest_read1_end:

	guest guest_write4
1:	outl %eax, %dx
	decq %rcx
	jnz 1b
	outb %al, $TEST_PORT_END
guest_write4_end:

/*
 * rcx times what Linux reads for the time: 11 registers through an index port, dx,
 * and a data port, dx + 1 (mc146818_avoid_UIP() and its callback).
 */
	guest guest_rtc_time
1:	movl $11, %ebx
2:	movl %ebx, %eax
	outb %al, %dx
	incl %edx
	inb %dx, %al
	decl %edx
	decl %ebx
	jnz 2b
	decq %rcx
	jnz 1b
	outb %al, $TEST_PORT_END
guest_rtc_time_end:

/*
 * rcx times a write to TEST_PORT_RAISE, at which the VMM may raise an interrupt. Its
 * handler reads one register, as that of IRQ 8 must read register C.
 */
	guest guest_rtc_interrupt
	movq %rcx, %r12
	movl %edx, %r13d
	call enable_apic
	movl %r13d, %edx
	sti
1:	outb %al, $TEST_PORT_RAISE
	nop
	decq %r12
	jnz 1b
	cli
	outb %al, $TEST_PORT_END
enable_apic:
	movl $MSR_APIC_BASE, %ecx
	rdmsr
	orl $0xc00, %eax
	wrmsr
	write_msr X2APIC_SVR, $0x1ff
	write_msr X2APIC_TPR, $0
	ret
	.globl guest_rtc_interrupt_handler
guest_rtc_interrupt_handler:
	movl $0xc, %eax
	outb %al, %dx
	incl %edx
	inb %dx, %al
	write_msr X2APIC_EOI, $0
	movl %r13d, %edx
	iretq
guest_rtc_interrupt_end:

/*
 * rcx halts, each ended by the LAPIC timer after rsi ticks, of the TSC or of the
 * APIC bus as the timer's mode in the LVT, edi, says.
 */
	guest guest_halt
	movq %rcx, %r12
	movl %edi, %r8d
	movl $MSR_APIC_BASE, %ecx
	rdmsr
	orl $0xc00, %eax
	wrmsr
	write_msr X2APIC_SVR, $0x1ff
	write_msr X2APIC_TPR, $0
	write_msr X2APIC_TDCR, $0xb
	orl $TIMER_VECTOR, %r8d
	write_msr X2APIC_LVTT, %r8d
1:	cli
	xorl %ebx, %ebx
	testl $0x40000, %r8d
	jz 2f
	rdtsc
	addl %esi, %eax
	adcl $0, %edx
	movl $TSC_DEADLINE, %ecx
	wrmsr
	jmp 3f
2:	write_msr X2APIC_TMICT, %esi
3:	sti
guest_halt_hlt:
	hlt
	cli
	testl %ebx, %ebx
	jz 3b
	decq %r12
	jnz 1b
	outb %al, $TEST_PORT_END

/*
 * QEMU's emulator loses the shadow of STI when it leaves the guest: an interrupt
 * that so comes before the HLT must step over it, or nothing ends the halt.
 */
	.globl guest_halt_interrupt
	.balign 16
guest_halt_interrupt:
	pushq %rax
	pushq %rcx
	pushq %rdx
	incl %ebx
	leaq guest_halt_hlt(%rip), %rax
	cmpq %rax, 24(%rsp)
	jne 1f
	incq 24(%rsp)
1:	write_msr X2APIC_EOI, $0
	popq %rdx
	popq %rcx
	popq %rax
	iretq
guest_halt_end:

	.section .note.GNU-stack, "", @progbits
