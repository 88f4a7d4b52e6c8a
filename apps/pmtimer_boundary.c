/*
 * pmtimer: where the next change of the top bit is.
 */
#include "pmtimer_boundary.h"

#include "drivers/pm1.h"
#include "drivers/pmtimer.h"
#include "kernel/ktap.h"

#define NS_PER_S   UINT64_C(1000000000)
#define PATIENCE_S 30

uint32_t boundary_ticks_left(void)
{
	uint32_t half = boundary_distance(pmtimer_mask());

	return half - (pmtimer_ticks() & (half - 1));
}

uint64_t boundary_ns(uint64_t ticks)
{
	return ticks / PMTIMER_HZ * NS_PER_S + ticks % PMTIMER_HZ * NS_PER_S / PMTIMER_HZ + 1;
}

bool boundary_half(uint32_t ticks)
{
	return ticks & boundary_distance(pmtimer_mask());
}

bool boundary_is_near(uint64_t count, const char *const names[], unsigned name_count)
{
	uint64_t half = boundary_distance(pmtimer_mask());
	uint64_t seconds = (boundary_ticks_left() + (count - 1) * half) / PMTIMER_HZ;

	if (seconds < PATIENCE_S)
		return true;
	for (unsigned i = 0; i < name_count; i++)
		ktap_skip(names[i], "the change of the top bit is %u s away, bound %u s",
			  (unsigned)seconds, PATIENCE_S);
	return false;
}

/* A boundary between the two readings may have been cleared or not: once more. */
bool boundary_clear_status(void)
{
	bool before, after;

	do {
		before = boundary_half(pmtimer_ticks());
		pm1_clear(PM1_TIMER);
		after = boundary_half(pmtimer_ticks());
	} while (before != after);
	return after;
}
