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

#define INPUT_RETRY_MS	 10 /* when the UART had no room; it does not say when it has */
#define LOCK_PATIENCE_NS (20 * NS_PER_MS)

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

/*
 * Takes the big lock, if the loop holds it while it works. False: a vCPU keeps it, perhaps
 * in a write to a full pipe, and the end must be able to come meanwhile.
 */
static bool enter(struct board *board)
{
	struct timespec until;

	if (!board->main_is_big)
		return true;
	until = host_timespec(host_clock_ns(CLOCK_REALTIME) + LOCK_PATIENCE_NS);
	return pthread_mutex_timedlock(&board->big_lock, &until) == 0;
}

static void leave(struct board *board)
{
	if (board->main_is_big)
		pthread_mutex_unlock(&board->big_lock);
}

/* Milliseconds until there is something to do without an event, rounded up. */
static int patience_ms(const struct watchdog *watchdog, const struct input *input)
{
	uint64_t now = host_monotonic_ns(), next = watchdog_next_ns(watchdog);
	uint64_t ms = next > now ? (next - now + NS_PER_MS - 1) / NS_PER_MS : 0;

	return input->count && ms > INPUT_RETRY_MS ? INPUT_RETRY_MS : (int)ms;
}

enum source { END, SIGNAL, AGE, TIMERS, SCI, WALL, INPUT, SOURCES };

static void open_sources(struct pollfd *sources, const struct machine *machine,
			 const struct console *console, int signal_fd)
{
	bool serves_timers = !machine->timers.has_thread && !machine->virtual_time.on;
	const int fds[SOURCES] = {
		[END] = machine->ending.event_fd,
		[SIGNAL] = signal_fd,
		[AGE] = console->age_fd,
		[TIMERS] = serves_timers ? machine->timers.fd : -1,
		[SCI] = machine->board.sci_resample.ended_fd,
		[WALL] = machine->wall_clock.fd,
		[INPUT] = -1,
	};

	for (unsigned i = 0; i < SOURCES; i++)
		sources[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
}

static void serve_clocks(const struct pollfd *sources, struct machine *machine)
{
	if (sources[TIMERS].revents)
		machine_timers_run(&machine->timers);
	if (sources[WALL].revents)
		board_wall_clock_stepped(machine, wall_clock_step(&machine->wall_clock));
}

static void serve_others(const struct pollfd *sources, struct machine *machine,
			 struct console *console, struct input *input)
{
	if (sources[SCI].revents)
		irq_resample_run(&machine->board.sci_resample);
	if (sources[AGE].revents)
		console_age(console);
	if (input->count)
		pass_on(input, &machine->board);
	else if (sources[INPUT].revents)
		on_input(input, machine);
}

/*
 * With --lock=big all of it is done under that lock. Where only the RTC's interrupt is
 * raised under it, the RTC's own lock comes first: the timers then take both themselves.
 */
static void serve(const struct pollfd *sources, struct machine *machine, struct console *console,
		  struct input *input)
{
	struct board *board = &machine->board;

	if (!board->is_big)
		serve_clocks(sources, machine);
	if (!enter(board))
		return;
	if (board->is_big)
		serve_clocks(sources, machine);
	serve_others(sources, machine, console, input);
	leave(board);
}

void main_loop_run(struct machine *machine, struct console *console, int signal_fd)
{
	struct input input = {.closed = isatty(STDIN_FILENO) && !terminal_is_raw()};
	struct pollfd sources[SOURCES];
	struct watchdog watchdog;

	open_sources(sources, machine, console, signal_fd);
	watchdog_init(&watchdog, machine);
	while (!ending_is_over(&machine->ending)) {
		sources[INPUT].fd = input.closed || input.count ? -1 : STDIN_FILENO;
		if (poll(sources, SOURCES, patience_ms(&watchdog, &input)) < 0)
			continue;
		if (sources[SIGNAL].revents)
			on_signal(machine, signal_fd);
		serve(sources, machine, console, &input);
		watchdog_tick(&watchdog);
	}
}
