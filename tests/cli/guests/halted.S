/* Halts for ever: interrupts are off. */
#include "guest.h"
	cli
1:	hlt
	jmp 1b
