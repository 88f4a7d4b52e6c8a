/* The terminal on standard input: see terminal.h. */
#include "terminal.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#define CTRL_A 1

const char terminal_help[] = "\nCtrl-A X  end the run\n"
			     "Ctrl-A H  this help\n"
			     "Ctrl-A Ctrl-A  send Ctrl-A to the guest\n";

/* The one terminal of the process; a signal handler has to find it. */
static struct termios before;
static volatile sig_atomic_t raw;

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#define FAULT_SIGNALS (sizeof(fault_signals) / sizeof(fault_signals[0]))

/* Then dies as it would have: the handler is there for one signal only. */
static void restore_and_die(int signal)
{
	terminal_restore();
	raise(signal);
}

void terminal_make_raw(void)
{
	struct sigaction action = {.sa_handler = restore_and_die,
				   .sa_flags = SA_RESETHAND | SA_NODEFER};
	struct termios settings;

	/* A background process that changed the terminal would be stopped. */
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &before))
		return;
	for (unsigned i = 0; i < FAULT_SIGNALS; i++)
		sigaction(fault_signals[i], &action, NULL);
	settings = before;
	cfmakeraw(&settings);
	settings.c_oflag = before.c_oflag; /* guests end lines by \n, too */
	raw = tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0;
}

void terminal_restore(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	raw = 0;
}

bool terminal_is_raw(void)
{
	return raw;
}

/* The end of the run wins over help that was asked for in the same breath. */
static void take_command(enum terminal_command *command, uint8_t key)
{
	if (key == 'x' || key == 'X')
		*command = TERMINAL_STOP;
	else if ((key == 'h' || key == 'H') && *command == TERMINAL_NONE)
		*command = TERMINAL_HELP;
}

enum terminal_command terminal_filter(struct terminal_keys *keys, uint8_t *bytes, unsigned *count)
{
	enum terminal_command command = TERMINAL_NONE;
	unsigned kept = 0;

	for (unsigned i = 0; i < *count; i++) {
		uint8_t byte = bytes[i];

		if (!keys->escaped && byte == CTRL_A) {
			keys->escaped = true;
			continue;
		}
		if (!keys->escaped || byte == CTRL_A)
			bytes[kept++] = byte;
		else
			take_command(&command, byte);
		keys->escaped = false;
	}
	*count = kept;
	return command;
}
