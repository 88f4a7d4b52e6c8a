/* Never ends. */
#include "guest.h"
1:	pause
	jmp 1b
