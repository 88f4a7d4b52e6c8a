/* The guest's serial output on the host: see console.h. */
#include "console.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "error.h"
#include "host_clock.h"
#include "machine.h"

#define AGE_MAX_NS	(50 * NS_PER_MS)
#define END_PATIENCE_MS 200 /* after the end, a full pipe is waited for this long */

int console_init(struct console *console, struct machine *machine, int out_fd, struct error *e)
{
	memset(console, 0, sizeof(*console));
	console->machine = machine;
	console->out_fd = out_fd;
	console->age_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (console->age_fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "timerfd: %s", strerror(errno));
	pthread_mutex_init(&console->lock, NULL);
	serial_reader_init(&console->reader, machine->record);
	return 0;
}

/* True: a write may go on. Before the end it may block, for the end will interrupt it. */
static bool may_write(const struct console *console, int failure)
{
	struct pollfd poll_out = {.fd = console->out_fd, .events = POLLOUT};

	if (failure && failure != EINTR && failure != EAGAIN)
		return false;
	if (ending_is_over(&console->machine->ending))
		return poll(&poll_out, 1, END_PATIENCE_MS) == 1;
	return failure != EAGAIN || poll(&poll_out, 1, -1) == 1 || errno == EINTR;
}

static void write_all(struct console *console)
{
	const uint8_t *text = console->text;
	int failure = 0;

	while (console->used && may_write(console, failure)) {
		ssize_t written = write(console->out_fd, text, console->used);

		failure = written < 0 ? errno : 0;
		if (written > 0) {
			text += written;
			console->used -= (unsigned)written;
		}
	}
	if (console->used) {
		console->used = 0;
		console->gone = true;
		machine_end(console->machine, END_STOPPED, -1, "nobody reads the output: %s",
			    strerror(failure ? failure : ETIMEDOUT));
	}
}

static void flush(struct console *console)
{
	serial_reader_feed(&console->reader, console->text, console->used);
	if (console->gone)
		console->used = 0;
	else
		write_all(console);
}

static void set_age_timer(const struct console *console)
{
	struct itimerspec when = {.it_value = host_timespec(AGE_MAX_NS)};

	timerfd_settime(console->age_fd, 0, &when, NULL);
}

/* One timer for all text of the next while, not one a line. */
static void arm_age(struct console *console)
{
	if (!console->age_armed)
		set_age_timer(console);
	console->age_armed = true;
}

void console_output(void *opaque, const uint8_t *bytes, unsigned count)
{
	struct console *console = opaque;

	pthread_mutex_lock(&console->lock);
	for (unsigned i = 0; i < count; i++) {
		console->text[console->used++] = bytes[i];
		if (bytes[i] == '\n' || console->used == CONSOLE_BUFFER)
			flush(console);
	}
	if (console->used)
		arm_age(console);
	pthread_mutex_unlock(&console->lock);
}

void console_age(struct console *console)
{
	uint64_t expirations;

	if (read(console->age_fd, &expirations, sizeof(expirations)) < 0)
		return;
	if (pthread_mutex_trylock(&console->lock)) {
		set_age_timer(console); /* a vCPU writes just now, perhaps to a full pipe */
		return;
	}
	console->age_armed = false;
	if (console->used)
		flush(console);
	pthread_mutex_unlock(&console->lock);
}

void console_finish(struct console *console)
{
	pthread_mutex_lock(&console->lock);
	if (console->used)
		flush(console);
	serial_reader_finish(&console->reader);
	pthread_mutex_unlock(&console->lock);
	close(console->age_fd);
}
