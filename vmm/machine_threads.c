/* The machine's threads: starting, asking, ending and joining vCPUs. See machine.h. */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "config.h"
#include "error.h"
#include "host_clock.h"
#include "machine.h"

#define VCPU_STACK_BYTES (256 << 10)
#define JOIN_PATIENCE_NS (10 * NS_PER_MS)

static int create_thread(struct vcpu *vcpu, int host_cpu, pthread_attr_t *attr, struct error *e)
{
	cpu_set_t cpus;
	int failure;

	if (host_cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(host_cpu, &cpus);
		pthread_attr_setaffinity_np(attr, sizeof(cpus), &cpus);
	}
	failure = pthread_create(&vcpu->thread, attr, vcpu_thread, vcpu);
	if (!failure)
		return 0;
	if (host_cpu >= 0 && failure == EINVAL)
		return error_set(e, TK_EXIT_SKIPPED, "--pin: this host has no CPU %d for vCPU %u",
				 host_cpu, vcpu->index);
	return error_set(e, TK_EXIT_SKIPPED, "thread of vCPU %u: %s", vcpu->index,
			 strerror(failure));
}

/* The threads beside the vCPUs'. */
static int start_helpers(struct machine *machine, struct error *e)
{
	if (machine_disk_start(machine, e) || virtual_time_start(machine, e))
		return -1;
	if (machine->config->timer_thread == TIMER_THREAD_MAIN || machine->virtual_time.on)
		return 0;
	return machine_timers_start_thread(&machine->timers, machine->ending.event_fd, e);
}

int machine_start(struct machine *machine, struct error *e)
{
	int result = start_helpers(machine, e);
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, VCPU_STACK_BYTES);
	machine->first_run_ns = host_monotonic_ns();
	while (result == 0 && machine->thread_count < machine->vcpu_count) {
		unsigned index = machine->thread_count;

		result = create_thread(&machine->vcpus[index], machine->config->pin[index], &attr,
				       e);
		if (result == 0)
			machine->thread_count++;
	}
	pthread_attr_destroy(&attr);
	if (result) {
		machine_end(machine, END_STOPPED, -1, "%s", e->text);
		machine_join(machine);
	}
	return result;
}

void machine_end(struct machine *machine, enum run_end end, int guest_code, const char *format, ...)
{
	va_list args;
	bool first;

	va_start(args, format);
	first = ending_set(&machine->ending, end, guest_code, format, args);
	va_end(args);
	for (unsigned i = 0; first && i < machine->vcpu_count; i++)
		vcpu_kick(&machine->vcpus[i]);
}

static unsigned collect_answers(struct machine *machine, struct vcpu_look *looks, bool *answered)
{
	unsigned count = 0;

	for (unsigned i = 0; i < machine->vcpu_count; i++) {
		struct vcpu *vcpu = &machine->vcpus[i];

		answered[i] = vcpu->answered == atomic_load(&vcpu->asked);
		looks[i] = vcpu->look;
		count += answered[i];
	}
	return count;
}

unsigned machine_look(struct machine *machine, uint64_t patience_ns, struct vcpu_look *looks,
		      bool *answered)
{
	struct timespec until = host_timespec(host_monotonic_ns() + patience_ns);
	unsigned count;
	int failure = 0;

	for (unsigned i = 0; i < machine->vcpu_count; i++)
		vcpu_ask(&machine->vcpus[i]);
	pthread_mutex_lock(&machine->reports_lock);
	do {
		count = collect_answers(machine, looks, answered);
		if (count < machine->vcpu_count)
			failure = pthread_cond_clockwait(&machine->reported, &machine->reports_lock,
							 CLOCK_MONOTONIC, &until);
	} while (count < machine->vcpu_count && !failure && !ending_is_over(&machine->ending));
	pthread_mutex_unlock(&machine->reports_lock);
	return count;
}

/* False: the thread has not stopped within the patience. */
static bool wait_stopped(struct machine *machine, const struct vcpu *vcpu)
{
	struct timespec until = host_timespec(host_monotonic_ns() + JOIN_PATIENCE_NS);
	int failure = 0;
	bool stopped;

	pthread_mutex_lock(&machine->reports_lock);
	while (!vcpu->stopped && !failure)
		failure = pthread_cond_clockwait(&machine->reported, &machine->reports_lock,
						 CLOCK_MONOTONIC, &until);
	stopped = vcpu->stopped;
	pthread_mutex_unlock(&machine->reports_lock);
	return stopped;
}

/* A thread may be held up outside of KVM_RUN, in a write to a full pipe: kick until it is gone. */
void machine_join(struct machine *machine)
{
	machine_disk_stop(machine); /* first: a vCPU may wait for a request in hand */
	for (unsigned i = 0; i < machine->thread_count; i++) {
		struct vcpu *vcpu = &machine->vcpus[i];

		while (!wait_stopped(machine, vcpu))
			vcpu_kick(vcpu);
		pthread_join(vcpu->thread, NULL);
	}
	machine->thread_count = 0;
	virtual_time_join(machine);
	machine_timers_join_thread(&machine->timers);
}
