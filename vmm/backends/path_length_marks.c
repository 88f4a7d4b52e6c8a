/* Functions to be watched: see path_length_marks.h. */
#include "path_length_marks.h"

/* Called though empty, and not folded into one although they are the same. */
#define WATCHED __attribute__((noipa))

WATCHED void path_length_begin(void)
{
	__asm__ volatile("");
}

WATCHED void path_length_end(void)
{
	__asm__ volatile("");
}
