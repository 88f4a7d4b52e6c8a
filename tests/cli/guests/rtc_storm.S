/* Reads the RTC's register C flat out while its periodic interrupt, of 8192 Hz, is enabled. */
#include "guest.inc"

#define READS 50000

.macro write_rtc index, value
	movb $\index, %al
	outb %al, $0x70
	movb $\value, %al
	outb %al, $0x71
.endm

	write_rtc 0x0a, 0x23
	write_rtc 0x0b, 0x42
	movb $0x0c, %al
	outb %al, $0x70
	movl $READS, %ebx
1:	inb $0x71, %al
	decl %ebx
	jnz 1b
	debug_exit 0
