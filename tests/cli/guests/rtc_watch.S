/* Watches the RTC's seconds change twice, with no interrupt of its enabled. */
#include "guest.inc"

	movl $3, %ebx		/* the first look is a change, too */
	movb $0xff, %ah
	xorb %al, %al
	outb %al, $0x70
1:	inb $0x71, %al
	cmpb %al, %ah
	je 1b
	movb %al, %ah
	decl %ebx
	jnz 1b
	debug_exit 0
