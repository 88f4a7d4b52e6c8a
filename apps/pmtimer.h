/*
 * pmtimer: its tests, a file each, and the keys that they share.
 */
#ifndef TICKVM_APPS_PMTIMER_H
#define TICKVM_APPS_PMTIMER_H

#include <stdint.h>

/* The command line's, checked. */
struct pmtimer_keys {
	uint64_t seconds;    /* that each part of `rate` takes */
	uint64_t n;	     /* reads, hand-offs or random writes */
	uint64_t boundaries; /* changes of the top bit that `overflow` waits for */
	uint64_t seed;	     /* of `writes` */
};

/* Each gives as many results as its line in pmtimer.c says. */
void pmtimer_rate(const struct pmtimer_keys *keys);
void pmtimer_cost(const struct pmtimer_keys *keys);
void pmtimer_order(const struct pmtimer_keys *keys);
void pmtimer_crowd(const struct pmtimer_keys *keys);
void pmtimer_overflow(const struct pmtimer_keys *keys);
void pmtimer_silent(const struct pmtimer_keys *keys);
void pmtimer_writes(const struct pmtimer_keys *keys);

#endif
