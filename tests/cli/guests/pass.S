/* Ends with code 0 by isa-debug-exit. */
#include "guest.inc"
	debug_exit 0
1:	hlt
	jmp 1b
