/*
 * The console: whatever the UART driver registered, a whole call at a time, so that
 * the lines of two CPUs do not mix.
 */
#include "console.h"

#include <stdbool.h>

#include "fault.h"
#include "lock.h"

static const struct console *console;
static struct spin_lock lock;
static bool lock_broken;
static bool within_line;

void console_register(const struct console *new_console)
{
	console = new_console;
}

/* A fault may have come while its CPU held the lock. */
void console_break_lock(void)
{
	lock_broken = true;
}

static void put(const char *data, size_t length)
{
	console->write(data, length);
	within_line = data[length - 1] != '\n';
}

void console_write(const char *data, size_t length)
{
	bool irqs_on;

	if (!console || !length)
		return;
	if (lock_broken) {
		put(data, length);
		return;
	}
	irqs_on = spin_lock(&lock);
	put(data, length);
	spin_unlock(&lock, irqs_on);
}

void console_end_line(void)
{
	if (within_line)
		console_write("\n", 1);
}

int console_read(void)
{
	return console ? console->read() : -1;
}
