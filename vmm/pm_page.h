/*
 * The arithmetic of the exit-less PM timer (struct tk_pm_page): a straight line from
 * the guest's TSC to the PM timer's count, laid anew now and then so that it keeps to
 * the clock which the port is read from.
 *
 * The two clocks' rates differ from what the host states by rounding (KVM knows the TSC
 * to 1 kHz) and by what NTP does to CLOCK_MONOTONIC; so each line takes its slope from
 * the two last samples. A line never shows less than the one before it at the TSC where
 * it takes over: a count that is behind jumps forward, one that is ahead is slowed.
 *
 * Pure: counts are fixed point, 64.64 bits, exact to 2^-64 ticks but for the slope's
 * rounding, which is under one tick in 2^64 TSC ticks.
 */
#ifndef TICKVM_PM_PAGE_H
#define TICKVM_PM_PAGE_H

#include <stdint.h>

/* The guest's TSC, and the ns that the PM timer has counted then. */
struct pm_page_sample {
	uint64_t tsc, ns;
};

struct pm_page_line {
	/* As in struct tk_pm_page. */
	uint64_t tsc_base, ticks, fraction, multiplier;

	uint64_t stated_rate; /* the multiplier that the TSC's stated frequency gives */
	struct pm_page_sample last;
	uint64_t catch_up_tsc; /* the TSC ticks in which a count that is ahead is to be right */
};

/* A line's first refresh is due after FIRST, each next one after twice the time, up to MAX. */
#define PM_PAGE_REFRESH_FIRST_NS UINT64_C(1000000)
#define PM_PAGE_REFRESH_MAX_NS	 UINT64_C(100000000)

/* The first line: through the sample, with the TSC's frequency as slope. */
void pm_page_start(struct pm_page_line *line, const struct pm_page_sample *sample,
		   uint32_t tsc_khz);

/*
 * The next line, which takes over at `tsc`, at or after the sample's. No reader may have
 * used the old line with a later TSC, nor may one use the new line with an earlier one.
 */
void pm_page_refresh(struct pm_page_line *line, const struct pm_page_sample *sample, uint64_t tsc);

/* The count that the line has at a TSC from tsc_base on, as a reader computes it; 64.64 bits. */
unsigned __int128 pm_page_count(const struct pm_page_line *line, uint64_t tsc);

#endif
