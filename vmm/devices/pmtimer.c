/* ACPI PM timer: see pmtimer.h. */
#include "pmtimer.h"

#include "../mutant.h"
#include "pmtimer_mutants.h"

#define NS_PER_S UINT64_C(1000000000)

/*
 * floor(ns * PMTIMER_HZ / 10^9), exactly: whole seconds are whole ticks, and
 * neither product can overflow, so that no 128-bit division is in the hot path.
 */
static uint64_t ticks_at(uint64_t ns)
{
	return ns / NS_PER_S * PMTIMER_HZ + ns % NS_PER_S * PMTIMER_HZ / NS_PER_S;
}

/* The first ns that has counted so many: ceil(ticks * 10^9 / PMTIMER_HZ), or UINT64_MAX. */
static uint64_t first_ns(unsigned __int128 ticks)
{
	unsigned __int128 ns = (ticks * NS_PER_S + PMTIMER_HZ - 1) / PMTIMER_HZ;

	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

static uint64_t counted_ns(const struct pmtimer *timer)
{
	return vclock_now_ns(timer->clock) + timer->state.start_ns;
}

static uint64_t pmtimer_read(void *state, struct bus_access access)
{
	const struct pmtimer *timer = state;
	unsigned unused_bits = 32u - timer->state.width_bits + MUTANT(pmtimer_mask_off_by_one);
	uint64_t ns = counted_ns(timer);

	MUTANT_20_NOPS(pmtimer_20_nops);
	return pmtimer_mutate(ticks_at(ns), ns) & UINT32_MAX >> unused_bits;
}

/* Read-only. */
static void pmtimer_write(void *state, struct bus_access access, uint64_t value)
{
	if (MUTANT(pmtimer_write_moves))
		((struct pmtimer *)state)->state.start_ns += value;
}

uint64_t pmtimer_half(const struct pmtimer *timer)
{
	uint64_t ns = counted_ns(timer) + PMTIMER_MUTANT_EARLY_NS;
	uint64_t ticks = pmtimer_mutate(ticks_at(ns), ns);

	pmtimer_mutant_rebase(ticks_at(ns), ns);
	if (MUTANT(pmtimer_status_unit))
		ticks = ns;
	return ticks >> (timer->state.width_bits - 1);
}

uint64_t pmtimer_half_begin_ns(const struct pmtimer *timer, uint64_t half)
{
	uint64_t ns = first_ns((unsigned __int128)half << (timer->state.width_bits - 1));
	uint64_t start_ns = timer->state.start_ns + PMTIMER_MUTANT_EARLY_NS;

	if (ns == UINT64_MAX)
		return ns;
	return ns > start_ns ? ns - start_ns : 0;
}

void pmtimer_init(struct pmtimer *timer, const struct vclock *clock, unsigned width_bits,
		  uint32_t start_ticks)
{
	timer->state.start_ns = first_ns(start_ticks);
	timer->state.width_bits = (uint8_t)width_bits;
	timer->clock = clock;
}

struct bus_region pmtimer_region(struct pmtimer *timer, uint16_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "pmtimer",
		.base = base,
		.length = PMTIMER_PORTS,
		.sizes = 4,
		.read = pmtimer_read,
		.write = pmtimer_write,
		.state = timer,
		.lock = lock,
	};
}
