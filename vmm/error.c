/* One line and an exit code: see error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *e, int exit_code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	e->exit_code = exit_code;
	return -1;
}
