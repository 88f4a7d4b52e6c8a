/* Time that only exits and halts move: see virtual_time.h. */
#include "virtual_time.h"

#include <linux/kvm.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "error.h"
#include "host_clock.h"
#include "machine.h"
#include "measure/cpu_time.h"

/*
 * KVM does not tell of a halt where it has the LAPIC: the vCPUs are asked, so often that
 * a jump costs little beside what the guest does after it.
 */
#define LOOK_NS	    50000
#define PATIENCE_NS (100 * NS_PER_MS)

static void run_timers(struct machine *machine)
{
	pthread_mutex_lock(&machine->virtual_time.lock);
	machine_timers_run(&machine->timers);
	pthread_mutex_unlock(&machine->virtual_time.lock);
}

void virtual_time_exit(struct machine *machine)
{
	uint64_t now_ns = virtual_clock_move_by(&machine->board.clock, VIRTUAL_TIME_EXIT_NS);

	if (now_ns >= machine_timers_next_ns(&machine->timers))
		run_timers(machine);
}

/* Halted with nothing to wake it, or never started. */
static bool is_idle(const struct vcpu_look *look)
{
	switch (look->mp_state) {
	case KVM_MP_STATE_HALTED:
		return !look->interrupt_pending || !look->interrupts_on;
	case KVM_MP_STATE_UNINITIALIZED:
	case KVM_MP_STATE_INIT_RECEIVED:
		return true;
	default:
		return false;
	}
}

static bool are_idle(struct machine *machine)
{
	struct vcpu_look looks[CONFIG_CPUS_MAX];
	bool answered[CONFIG_CPUS_MAX];

	if (machine_look(machine, PATIENCE_NS, looks, answered) < machine->vcpu_count)
		return false;
	for (unsigned i = 0; i < machine->vcpu_count; i++) {
		if (!is_idle(&looks[i]))
			return false;
	}
	return true;
}

/*
 * A vCPU may wake another that has answered already, and then halt itself: only what is
 * so twice in a row is so.
 */
static bool all_idle(struct machine *machine)
{
	return are_idle(machine) && (machine->vcpu_count == 1 || are_idle(machine));
}

static void *look_for_halts(void *opaque)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	struct machine *machine = opaque;

	while (!ending_is_over(&machine->ending)) {
		uint64_t next_ns = machine_timers_next_ns(&machine->timers);

		if (next_ns != EVENT_NEVER && all_idle(machine)) {
			virtual_clock_move_to(&machine->board.clock, next_ns);
			run_timers(machine);
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	machine->virtual_time.cpu_time = cpu_time_of_thread();
	return NULL;
}

void virtual_time_init(struct machine *machine)
{
	machine->virtual_time.on = machine->config->virtual_time;
	pthread_mutex_init(&machine->virtual_time.lock, NULL);
	if (machine->virtual_time.on)
		virtual_clock_stand(&machine->board.clock);
}

int virtual_time_start(struct machine *machine, struct error *e)
{
	struct virtual_time *virtual_time = &machine->virtual_time;
	int why;

	if (!virtual_time->on)
		return 0;
	why = pthread_create(&virtual_time->thread, NULL, look_for_halts, machine);
	virtual_time->has_thread = !why;
	return why ? error_set(e, TK_EXIT_SKIPPED, "thread of --virtual-time: %s", strerror(why))
		   : 0;
}

void virtual_time_join(struct machine *machine)
{
	if (machine->virtual_time.has_thread)
		pthread_join(machine->virtual_time.thread, NULL);
	machine->virtual_time.has_thread = false;
}
