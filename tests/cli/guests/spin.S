/* Never ends. */
#include "guest.inc"
1:	pause
	jmp 1b
