/* The parts of the scenario rtc-lock: its verdict and its tables, of one report. */
#ifndef TICKVM_REPRO_RTC_LOCK_H
#define TICKVM_REPRO_RTC_LOCK_H

#include <jansson.h>
#include <stdio.h>

/* Rows of both workloads, in this order. */
enum { RTC_LOCK_BIG, RTC_LOCK_DEVICE, RTC_LOCK_RAISE_BIG, RTC_LOCK_FREE, RTC_LOCK_ROWS };

/* Adds the verdict. -1: out of memory. */
int rtc_lock_judge(json_t *report);

void rtc_lock_print(const json_t *report, FILE *out);

#endif
