/* The main thread's loop: see main_loop.h. */
#include "main_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "console.h"
#include "error.h"
#include "host_clock.h"
#include "machine.h"
#include "terminal.h"
#include "watchdog.h"

#define INPUT_RETRY_MS 10 /* when the UART had no room; it does not say when it has */

struct input {
	uint8_t bytes[256];
	unsigned first, count; /* not yet taken by the UART */
	bool closed;
	struct terminal_keys keys;
};

int main_loop_take_signals(struct error *e)
{
	sigset_t taken;
	int fd;

	sigemptyset(&taken);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGQUIT);
	pthread_sigmask(SIG_BLOCK, &taken, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGALRM, SIG_IGN);
	fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_set(e, TK_EXIT_SKIPPED, "signalfd: %s", strerror(errno)) : fd;
}

static void on_signal(struct machine *machine, int signal_fd)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) == sizeof(info))
		machine_end(machine, END_STOPPED, -1, "stopped by SIG%s",
			    sigabbrev_np((int)info.ssi_signo));
}

static void pass_on(struct input *input, struct board *board)
{
	unsigned taken = board_input(board, input->bytes + input->first, input->count);

	input->first += taken;
	input->count -= taken;
}

static void on_input(struct input *input, struct machine *machine)
{
	ssize_t got = read(STDIN_FILENO, input->bytes, sizeof(input->bytes));

	if (got <= 0) {
		input->closed = got == 0 || (errno != EINTR && errno != EAGAIN);
		return;
	}
	input->first = 0;
	input->count = (unsigned)got;
	if (terminal_is_raw()) {
		switch (terminal_filter(&input->keys, input->bytes, &input->count)) {
		case TERMINAL_STOP:
			machine_end(machine, END_STOPPED, -1, "stopped by Ctrl-A X");
			return;
		case TERMINAL_HELP:
			(void)!write(STDERR_FILENO, terminal_help, strlen(terminal_help));
			break;
		case TERMINAL_NONE:
			break;
		}
	}
	pass_on(input, &machine->board);
}

/* Milliseconds until there is something to do without an event, rounded up. */
static int patience_ms(const struct watchdog *watchdog, const struct input *input)
{
	uint64_t now = host_monotonic_ns(), next = watchdog_next_ns(watchdog);
	uint64_t ms = next > now ? (next - now + NS_PER_MS - 1) / NS_PER_MS : 0;

	return input->count && ms > INPUT_RETRY_MS ? INPUT_RETRY_MS : (int)ms;
}

void main_loop_run(struct machine *machine, struct console *console, int signal_fd)
{
	enum { END, SIGNAL, AGE, TIMERS, SCI, WALL, INPUT, SOURCES };
	bool serves_timers = !machine->timers.has_thread && !machine->virtual_time.on;
	pthread_mutex_t *lock = machine->board.main_is_big ? &machine->board.big_lock : NULL;
	struct pollfd sources[SOURCES] = {
		[END] = {.fd = machine->ending.event_fd, .events = POLLIN},
		[SIGNAL] = {.fd = signal_fd, .events = POLLIN},
		[AGE] = {.fd = console->age_fd, .events = POLLIN},
		[TIMERS] = {.fd = serves_timers ? machine->timers.fd : -1, .events = POLLIN},
		[SCI] = {.fd = machine->board.sci_resample.ended_fd, .events = POLLIN},
		[WALL] = {.fd = machine->wall_clock.fd, .events = POLLIN},
		[INPUT] = {.events = POLLIN},
	};
	struct input input = {.closed = isatty(STDIN_FILENO) && !terminal_is_raw()};
	struct watchdog watchdog;

	watchdog_init(&watchdog, machine);
	while (!ending_is_over(&machine->ending)) {
		sources[INPUT].fd = input.closed || input.count ? -1 : STDIN_FILENO;
		if (poll(sources, SOURCES, patience_ms(&watchdog, &input)) < 0)
			continue;
		if (lock)
			pthread_mutex_lock(lock);
		if (sources[SIGNAL].revents)
			on_signal(machine, signal_fd);
		if (sources[TIMERS].revents)
			machine_timers_run(&machine->timers);
		if (sources[SCI].revents)
			irq_resample_run(&machine->board.sci_resample);
		if (sources[WALL].revents)
			board_wall_clock_stepped(machine, wall_clock_step(&machine->wall_clock));
		if (sources[AGE].revents)
			console_age(console);
		if (input.count)
			pass_on(&input, &machine->board);
		else if (sources[INPUT].revents)
			on_input(&input, machine);
		if (lock)
			pthread_mutex_unlock(lock);
		watchdog_tick(&watchdog);
	}
}
