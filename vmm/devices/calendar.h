/*
 * The Gregorian calendar as a clock chip counts it: fields that carry over.
 */
#ifndef TICKVM_DEVICES_CALENDAR_H
#define TICKVM_DEVICES_CALENDAR_H

#include <stdint.h>

/* Any values are allowed, up to 17,000 years: what a guest writes may be no date at all. */
struct calendar {
	unsigned second, minute, hour;
	unsigned weekday;    /* 1: Sunday */
	unsigned day, month; /* from 1 */
	unsigned year;
};

/*
 * Moves a calendar on. The date is touched at midnight only: a guest that sets it
 * field by field passes through dates that do not exist. After a midnight it exists.
 */
void calendar_advance(struct calendar *c, uint64_t seconds);

/* Seconds from 1 January of year 1, 00:00; of a date that there is not, of where its days run on
 * to. */
int64_t calendar_seconds(const struct calendar *c);

#endif
