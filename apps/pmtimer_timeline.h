/*
 * A timeline: readings of the PM timer, each between two of a reference clock, and how
 * far they are from a counter that is exact.
 *
 * However long the host stops the guest, a counter was read at some time between
 * `before` and `after`: a stall makes a bracket wide, never wrong.
 */
#ifndef TICKVM_PMTIMER_TIMELINE_H
#define TICKVM_PMTIMER_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

/* The host's clock where there is a pair contract, else the TSC. */
struct timeline_reference {
	const char *name;
	uint64_t (*read)(void);
	uint64_t hz;  /* 0: of unknown rate */
	bool is_host; /* exact enough to judge the counter by */
};
struct timeline_reference timeline_reference(void);

struct timeline {
	struct timeline_reference reference;
	uint64_t *before, *ticks, *after; /* ticks: beyond the counter's width */
	unsigned count, room;
};

/* Room for so many readings; the app ends if there is no memory, or no clock to compare with. */
void timeline_init(struct timeline *timeline, unsigned room);
void timeline_free(struct timeline *timeline);

/* Reads the counter, in brackets; does nothing once the room is used up. */
void timeline_read(struct timeline *timeline, uint32_t (*read)(void));

/* Reference time from the first reading on, in units of the reference. */
uint64_t timeline_elapsed(const struct timeline *timeline);

/*
 * The largest number of ticks, in 1/1000, by which any two readings are further apart,
 * or nearer, than their brackets allow at PMTIMER_HZ. An exact counter, which shows
 * whole ticks, stays below 1000.
 */
uint64_t timeline_error_milliticks(const struct timeline *timeline);

/* The counter's rate over the timeline, less PMTIMER_HZ, and how far off that may be. */
struct timeline_rate {
	int64_t ppb;
	uint64_t uncertainty_ppb;
};
struct timeline_rate timeline_rate(const struct timeline *timeline);

/* Hands over the three arrays as NAME.before, NAME.ticks, NAME.after. */
void timeline_send(const struct timeline *timeline, const char *name);

#endif
