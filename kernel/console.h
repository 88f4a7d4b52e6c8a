/*
 * The console: where newlib's stdout and stderr go, and stdin comes from.
 */
#ifndef TICKVM_CONSOLE_H
#define TICKVM_CONSOLE_H

#include <stddef.h>

struct console {
	void (*write)(const char *data, size_t length); /* complete when it returns; any context */
	int (*read)(void);				/* next byte, or -1: none waits */
};

/* Registered by the uart driver. Until then output is lost. */
void console_register(const struct console *console);
void console_write(const char *data, size_t length);
int console_read(void);

/* Ends the line that the last write began, if it did. */
void console_end_line(void);

#endif
