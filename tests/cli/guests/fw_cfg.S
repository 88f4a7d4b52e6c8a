/* Code = number of CPUs by fw_cfg key 5, as kvm-unit-tests ask for it. */
#include "guest.inc"
	movw $0x510, %dx
	movw $5, %ax
	outw %ax, %dx
	movw $0x511, %dx
	xorl %eax, %eax
	inb %dx, %al
	movw $0xf4, %dx
	outl %eax, %dx
1:	hlt
	jmp 1b
