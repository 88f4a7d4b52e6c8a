/* Guests that never end: see watchdog.h. */
#include "watchdog.h"

#include <linux/kvm.h>
#include <stdio.h>

#include "config.h"
#include "host_clock.h"
#include "machine.h"

#define INTERVAL_FIRST_NS (100 * NS_PER_MS)
#define INTERVAL_MAX_NS	  NS_PER_S
#define PATIENCE_NS	  (200 * NS_PER_MS)

struct looks {
	struct vcpu_look look[CONFIG_CPUS_MAX];
	bool answered[CONFIG_CPUS_MAX];
};

static uint64_t cpu_ns_of_all(struct machine *machine)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < machine->vcpu_count; i++)
		sum += vcpu_cpu_ns(&machine->vcpus[i]);
	return sum;
}

/* An application processor that was never started, or waits for its SIPI. */
static bool is_parked(const struct vcpu_look *look)
{
	return look->mp_state == KVM_MP_STATE_UNINITIALIZED ||
	       look->mp_state == KVM_MP_STATE_INIT_RECEIVED;
}

static bool is_dead(const struct vcpu_look *look)
{
	return is_parked(look) || (look->mp_state == KVM_MP_STATE_HALTED && !look->interrupts_on);
}

static void look_for_halted(struct watchdog *watchdog)
{
	struct machine *machine = watchdog->machine;
	struct looks looks;

	if (machine_look(machine, PATIENCE_NS, looks.look, looks.answered) < machine->vcpu_count)
		return;
	for (unsigned i = 0; i < machine->vcpu_count; i++)
		if (!is_dead(&looks.look[i]))
			return;
	machine_end(machine, END_HALTED, -1,
		    "halted for ever: CPU 0 at %#llx with interrupts off, and no other CPU runs",
		    (unsigned long long)looks.look[0].rip);
}

static const char *state_name(const struct vcpu_look *look)
{
	if (is_parked(look))
		return "not started";
	if (look->mp_state != KVM_MP_STATE_HALTED)
		return "running";
	return look->interrupts_on ? "halted" : "halted with interrupts off";
}

static void end_by_timeout(struct watchdog *watchdog)
{
	struct machine *machine = watchdog->machine;
	char where[200];
	unsigned used = 0;
	struct looks looks = {.answered = {false}};

	machine_look(machine, PATIENCE_NS, looks.look, looks.answered);
	for (unsigned i = 0; i < machine->vcpu_count && used < sizeof(where); i++) {
		const struct vcpu_look *look = &looks.look[i];

		if (looks.answered[i])
			used += (unsigned)snprintf(where + used, sizeof(where) - used,
						   "%s CPU %u %s at %#llx", i ? "," : "", i,
						   state_name(look), (unsigned long long)look->rip);
		else
			used += (unsigned)snprintf(where + used, sizeof(where) - used,
						   "%s CPU %u busy in the VMM", i ? "," : "", i);
	}
	machine_end(machine, END_TIMEOUT, -1, "time-out after %llu ms:%s",
		    (unsigned long long)(machine->config->timeout_ns / NS_PER_MS), where);
}

void watchdog_init(struct watchdog *watchdog, struct machine *machine)
{
	uint64_t now = host_monotonic_ns(), timeout = machine->config->timeout_ns;

	watchdog->machine = machine;
	watchdog->deadline_ns = timeout ? machine->first_run_ns + timeout : UINT64_MAX;
	watchdog->interval_ns = INTERVAL_FIRST_NS;
	watchdog->look_ns = now + watchdog->interval_ns;
	watchdog->cpu_ns = 0;
}

uint64_t watchdog_next_ns(const struct watchdog *watchdog)
{
	return watchdog->look_ns < watchdog->deadline_ns ? watchdog->look_ns
							 : watchdog->deadline_ns;
}

void watchdog_tick(struct watchdog *watchdog)
{
	uint64_t now = host_monotonic_ns(), cpu_ns;

	if (now >= watchdog->deadline_ns) {
		end_by_timeout(watchdog);
		return;
	}
	if (now < watchdog->look_ns)
		return;
	cpu_ns = cpu_ns_of_all(watchdog->machine);
	if (cpu_ns == watchdog->cpu_ns) {
		look_for_halted(watchdog);
		cpu_ns = cpu_ns_of_all(watchdog->machine); /* the look has cost some */
		if (watchdog->interval_ns < INTERVAL_MAX_NS)
			watchdog->interval_ns *= 2;
		if (watchdog->interval_ns > INTERVAL_MAX_NS)
			watchdog->interval_ns = INTERVAL_MAX_NS;
	}
	watchdog->cpu_ns = cpu_ns;
	watchdog->look_ns = host_monotonic_ns() + watchdog->interval_ns;
}
