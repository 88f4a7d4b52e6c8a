/* Reads two lines' worth of bytes from COM1 and sends them back; ends at a full stop. */
#include "guest.inc"
	movw $0x3fd, %dx
1:	inb %dx, %al
	testb $1, %al		/* LSR.DR */
	jz 1b
	movw $0x3f8, %dx
	inb %dx, %al
	outb %al, %dx
	cmpb $'.', %al
	movw $0x3fd, %dx
	jne 1b
	debug_exit 0
2:	hlt
	jmp 2b
