/*
 * The guest's serial output on the host: written by the line, so that a line costs
 * one system call, and to the serial reader, which looks for results in it.
 *
 * Text goes out at each newline, when the buffer is full, at the end, and when it
 * is 50 ms old (a prompt). A reader that is gone ends the run.
 */
#ifndef TICKVM_CONSOLE_H
#define TICKVM_CONSOLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/record.h"

struct error;
struct machine;

#define CONSOLE_BUFFER 4096

struct console {
	struct machine *machine;
	int out_fd;
	int age_fd; /* a timer: readable when unfinished text is too old */

	/* Guarded by `lock`: the writing vCPU, and the main thread for old text. */
	pthread_mutex_t lock;
	struct serial_reader reader;
	uint8_t text[CONSOLE_BUFFER];
	unsigned used;
	bool age_armed;
	bool gone; /* nobody reads: text is dropped */
};

int console_init(struct console *console, struct machine *machine, int out_fd, struct error *e);

/* From the UART, on a vCPU's thread. `console`: the struct console. */
void console_output(void *console, const uint8_t *bytes, unsigned count);

/* age_fd became readable: writes old text unless a vCPU is writing just now. */
void console_age(struct console *console);

/* Writes the rest, after the vCPUs are gone. */
void console_finish(struct console *console);

#endif
