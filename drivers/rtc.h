/*
 * Real-time clock: the date and time that it keeps.
 */
#ifndef TICKVM_DRIVERS_RTC_H
#define TICKVM_DRIVERS_RTC_H

#include <stdbool.h>
#include <stdint.h>

struct rtc_time {
	unsigned year;	/* all four digits */
	unsigned month; /* 1 to 12 */
	unsigned day;	/* 1 to 31 */
	unsigned hour, minute, second;
};

bool rtc_present(void);

/* -1: no chip, it never came out of an update, or it shows no date. */
int rtc_read(struct rtc_time *time);

/* Seconds since 1970, in the clock's own zone. */
int64_t rtc_to_seconds(const struct rtc_time *time);

/* Both in one: seconds since 1970, or -1. */
int64_t rtc_seconds(void);

/* One byte of the chip's memory; index 0 to 127. All ones without a chip. */
uint8_t rtc_register(uint8_t index);

#endif
