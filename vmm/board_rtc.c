/*
 * The RTC's place on the board: its interrupt, its alarm, its locks, and the wall clock
 * that it follows.
 *
 * Thread 003 (qemu-devel, February 2018) is settled here: which lock guards the chip's
 * ports (--lock), which one its interrupt is raised under (--raise-lock), and which
 * thread its timer goes off in (--timer-thread).
 */
#include "board.h"
#include "config.h"
#include "host_clock.h"
#include "machine.h"
#include "machine_map.h"

/* What the RTC shows at power-on, ns since 1970. */
static int64_t base_ns(const struct config *config)
{
	if (config->rtc_base_set)
		return config->rtc_base_s * (int64_t)NS_PER_S + config->rtc_base_fraction_ns;
	return (int64_t)host_clock_ns(CLOCK_REALTIME) + config->rtc_offset_s * (int64_t)NS_PER_S;
}

pthread_mutex_t *board_rtc_lock(struct board *board, const struct config *config)
{
	switch (config->lock) {
	case LOCK_FREE:
		return NULL;
	case LOCK_BIG:
		return &board->big_lock;
	default:
		return &board->rtc_lock;
	}
}

static void on_alarm(void *opaque)
{
	struct board *board = opaque;
	pthread_mutex_t *lock = board->is_big ? &board->big_lock : &board->pm1_lock;

	pthread_mutex_lock(lock);
	pm1_raise(&board->pm1, PM1_RTC);
	pthread_mutex_unlock(lock);
}

/* What v2 of the thread's patch had to do: the line belonged to what the big lock guards. */
static void set_line_under_big_lock(void *opaque, bool level)
{
	struct board *board = opaque;

	pthread_mutex_lock(&board->big_lock);
	irq_line_set(&board->rtc_wire, level);
	pthread_mutex_unlock(&board->big_lock);
}

/* The steps of --host-clock-step whose time has come. The RTC's lock is held, as in any access. */
static void on_clock_step(void *opaque)
{
	struct machine *machine = opaque;
	struct board *board = &machine->board;
	const struct config *config = machine->config;
	uint64_t now_ns = virtual_clock_ns(&board->clock);

	while (board->clock_step < config->clock_step_count &&
	       config->clock_steps[board->clock_step].at_ns <= now_ns)
		rtc_step(&board->rtc, config->clock_steps[board->clock_step++].step_ns);
	if (board->clock_step < config->clock_step_count)
		event_timer_arm(&board->clock_step_event,
				config->clock_steps[board->clock_step].at_ns);
}

static void arm_clock_steps(struct machine *machine, pthread_mutex_t *lock)
{
	struct board *board = &machine->board;

	if (!machine->config->clock_step_count || machine->config->rtc_clock != RTC_CLOCK_HOST)
		return;
	board->clock_step_event = machine_timers_add(&machine->timers, "host-clock-step",
						     on_clock_step, machine, lock);
	event_timer_arm(&board->clock_step_event, machine->config->clock_steps[0].at_ns);
}

/*
 * An irqfd's interrupt is injected by a worker of KVM's, soon after. Virtual time must not
 * jump before it has come: there the line is an ioctl, which returns when it has.
 */
static int connect_irq(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;

	if (machine->config->virtual_time) {
		board->rtc_wire = irqchip_line(&machine->irqchip, MAP_RTC_GSI);
	} else {
		if (irqchip_edge_open(&machine->irqchip, MAP_RTC_GSI, &board->rtc_edge, e))
			return -1;
		board->rtc_wire = irqchip_edge_line(&board->rtc_edge);
	}
	board->rtc_line = board->rtc_wire;
	if (machine->config->raise_lock == RAISE_LOCK_BIG)
		board->rtc_line = (struct irq_line){set_line_under_big_lock, board};
	return 0;
}

int board_init_rtc(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;
	const struct config *config = machine->config;
	pthread_mutex_t *lock = board_rtc_lock(board, config);
	const struct rtc_config rtc_config = {.base_ns = base_ns(config),
					      .driftfix = config->rtc_driftfix};
	const struct rtc_wiring wiring = {.clock = &board->clock.vclock,
					  .timer = &board->rtc_event,
					  .irq = &board->rtc_line,
					  .alarm = on_alarm,
					  .opaque = board};

	if (connect_irq(machine, e))
		return -1;
	board->rtc_event = machine_timers_add(&machine->timers, "rtc", rtc_event, &board->rtc,
					      lock);
	rtc_init(&board->rtc, &rtc_config, &wiring);
	arm_clock_steps(machine, lock);
	return 0;
}

void board_wall_clock_stepped(struct machine *machine, int64_t step_ns)
{
	pthread_mutex_t *lock = board_rtc_lock(&machine->board, machine->config);

	if (lock)
		pthread_mutex_lock(lock);
	rtc_step(&machine->board.rtc, step_ns);
	if (lock)
		pthread_mutex_unlock(lock);
}
