/* ACPI PM timer: see pmtimer.h. */
#include "pmtimer.h"

#include "../mutant.h"

#define NS_PER_S UINT64_C(1000000000)

/*
 * floor(now_ns * PMTIMER_HZ / 10^9), exactly: whole seconds are whole ticks, and
 * neither product can overflow, so that no 128-bit division is in the hot path.
 */
static uint64_t ticks_at(uint64_t now_ns)
{
	return now_ns / NS_PER_S * PMTIMER_HZ + now_ns % NS_PER_S * PMTIMER_HZ / NS_PER_S;
}

static uint64_t pmtimer_read(void *state, struct bus_access access)
{
	const struct pmtimer *timer = state;
	uint64_t ticks = ticks_at(vclock_now_ns(timer->clock)) + timer->state.start_ticks;

	MUTANT_20_NOPS(pmtimer_20_nops);
	return ticks & timer->state.mask;
}

/* Read-only. */
static void pmtimer_write(void *state, struct bus_access access, uint64_t value)
{
}

void pmtimer_init(struct pmtimer *timer, const struct vclock *clock, unsigned width_bits,
		  uint32_t start_ticks)
{
	timer->state.start_ticks = start_ticks;
	timer->state.mask = UINT32_MAX >> (32 - width_bits);
	timer->clock = clock;
}

struct bus_region pmtimer_region(struct pmtimer *timer, uint16_t base)
{
	return (struct bus_region){
		.name = "pmtimer",
		.base = base,
		.length = PMTIMER_PORTS,
		.sizes = 4,
		.read = pmtimer_read,
		.write = pmtimer_write,
		.state = timer,
	};
}
