/* An interrupt table of no entries, and an exception. */
#include "guest.inc"
	lidt empty
	ud2
empty:	.word 0
	.long 0
