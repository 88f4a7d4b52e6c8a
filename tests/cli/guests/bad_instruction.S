/*
 * An instruction that KVM cannot execute: SSE arithmetic on an MMIO operand, which
 * has to be emulated on every host, and which KVM's emulator does not know.
 */
#include "guest.inc"
	movl %cr0, %eax
	andl $~4, %eax		/* EM off */
	movl %eax, %cr0
	movl %cr4, %eax
	orl $0x200, %eax	/* OSFXSR */
	movl %eax, %cr4
	addps 0xfed40000, %xmm0
1:	hlt
	jmp 1b
