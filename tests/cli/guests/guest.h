/*
 * The start of a tiny multiboot1 guest in flat 32-bit code, for tests of how runs end.
 */
	.section .text
	.balign 4
	.long 0x1badb002, 0, -0x1badb002 /* magic, flags, checksum */
	.globl _start
_start:

/* QEMU's isa-debug-exit: a 32-bit code. */
.macro debug_exit code
	movl $\code, %eax
	movw $0xf4, %dx
	outl %eax, %dx
.endm

	.section .note.GNU-stack, "", @progbits
	.section .text
