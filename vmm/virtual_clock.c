/* Virtual time: see virtual_clock.h. */
#include "virtual_clock.h"

#include <stdbool.h>

#include "host_clock.h"

static uint64_t read_vclock(void *opaque)
{
	return virtual_clock_ns(opaque);
}

uint64_t virtual_clock_ns(const struct virtual_clock *clock)
{
	unsigned sequence;
	uint64_t ns;

	do {
		uint64_t stopped_ns;

		sequence = atomic_load_explicit(&clock->sequence, memory_order_acquire);
		stopped_ns = atomic_load_explicit(&clock->stopped_ns, memory_order_acquire);
		ns = atomic_load_explicit(&clock->origin_ns, memory_order_acquire);
		ns = stopped_ns == VIRTUAL_CLOCK_RUNS ? host_monotonic_ns() - ns : stopped_ns;
	} while ((sequence & 1) ||
		 atomic_load_explicit(&clock->sequence, memory_order_relaxed) != sequence);
	return ns;
}

uint64_t virtual_clock_host_ns(const struct virtual_clock *clock, uint64_t at_ns)
{
	uint64_t origin_ns = atomic_load(&clock->origin_ns);

	if (atomic_load(&clock->stopped_ns) != VIRTUAL_CLOCK_RUNS)
		return UINT64_MAX;
	return at_ns < UINT64_MAX - origin_ns ? origin_ns + at_ns : UINT64_MAX;
}

/*
 * A change begins before the host's clock is read for it: no reader can then have
 * seen more of the old time than the new one goes on from.
 */
static void begin_change(struct virtual_clock *clock)
{
	atomic_fetch_add(&clock->sequence, 1);
}

static void end_change(struct virtual_clock *clock)
{
	atomic_fetch_add(&clock->sequence, 1);
}

void virtual_clock_start(struct virtual_clock *clock)
{
	clock->vclock = (struct vclock){.read_ns = read_vclock, .opaque = clock};
	atomic_init(&clock->sequence, 0);
	atomic_init(&clock->origin_ns, host_monotonic_ns());
	atomic_init(&clock->stopped_ns, VIRTUAL_CLOCK_RUNS);
}

void virtual_clock_stop(struct virtual_clock *clock)
{
	begin_change(clock);
	atomic_store(&clock->stopped_ns, host_monotonic_ns() - clock->origin_ns);
	end_change(clock);
}

void virtual_clock_resume(struct virtual_clock *clock)
{
	begin_change(clock);
	atomic_store(&clock->origin_ns, host_monotonic_ns() - clock->stopped_ns);
	atomic_store(&clock->stopped_ns, VIRTUAL_CLOCK_RUNS);
	end_change(clock);
}

void virtual_clock_stand(struct virtual_clock *clock)
{
	atomic_store(&clock->stopped_ns, 0);
}

/* One field, and no more than one: it needs no sequence. */
uint64_t virtual_clock_move_to(struct virtual_clock *clock, uint64_t ns)
{
	uint_fast64_t at_ns = atomic_load(&clock->stopped_ns);

	while (at_ns < ns && !atomic_compare_exchange_weak(&clock->stopped_ns, &at_ns, ns))
		;
	return at_ns < ns ? ns : at_ns;
}

uint64_t virtual_clock_move_by(struct virtual_clock *clock, uint64_t ns)
{
	return atomic_fetch_add(&clock->stopped_ns, ns) + ns;
}
