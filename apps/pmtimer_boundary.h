/*
 * pmtimer: the boundaries of its counter, where the top bit changes (ACPI 6.5
 * § 4.8.3.1.1, TMR_STS), and waiting for one.
 */
#ifndef TICKVM_PMTIMER_BOUNDARY_H
#define TICKVM_PMTIMER_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks from a boundary to the next. */
static inline uint32_t boundary_distance(uint32_t mask)
{
	return mask / 2 + 1;
}

/* Whether the next `count` boundaries are near enough to wait for; else a skip for each name. */
bool boundary_is_near(uint64_t count, const char *const names[], unsigned name_count);

/*
 * Clears TMR_STS in the half of the counter that this returns, as its top bit: what is
 * set from here on, a boundary has set.
 */
bool boundary_clear_status(void);

/* Ticks to the next boundary, and as ns rounded up. */
uint32_t boundary_ticks_left(void);
uint64_t boundary_ns(uint64_t ticks);

/* The top bit of a value. */
bool boundary_half(uint32_t ticks);

#endif
