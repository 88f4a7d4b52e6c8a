/* Halts for ever: interrupts are off. */
#include "guest.inc"
	cli
1:	hlt
	jmp 1b
