/* Prints lines to COM1, without end. */
#include "guest.inc"
1:	movw $0x3f8, %dx
	movb $'x', %al
	movl $79, %ecx
2:	outb %al, %dx
	loop 2b
	movb $10, %al
	outb %al, %dx
	jmp 1b
