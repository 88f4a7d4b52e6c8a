/*
 * rtc, test year: an alarm a day at 07:30:00, over the ends of months, of a year and of
 * February, by interrupt. Made for --virtual-time, in which a day takes no longer than what
 * the guest does in it.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define SECONDS_PER_DAY 86400
#define PATIENCE_S	30

static const char *const names[] = {
	"year: one alarm a day",
	"year: each a day after the last, at the alarm's time",
};

void rtc_year(const struct rtc_keys *keys)
{
	unsigned fired = 0, right = 0;
	int64_t last = -1, now;

	if (!rtc_irq_begin(names, 2))
		return;
	rtc_set_register(RTC_B, RTC_B_24_HOURS);
	rtc_set_register(RTC_SECONDS_ALARM, 0x00);
	rtc_set_register(RTC_MINUTES_ALARM, 0x30);
	rtc_set_register(RTC_HOURS_ALARM, 0x07);
	rtc_enable(RTC_AF);
	for (uint64_t day = 0; day < keys->n && rtc_wait(RTC_AF, PATIENCE_S); day++) {
		now = rtc_seconds();
		fired++;
		right += now % SECONDS_PER_DAY == 7 * 3600 + 30 * 60 &&
			 (last < 0 || now == last + SECONDS_PER_DAY);
		last = now;
	}
	rtc_irq_end();
	check_equal(names[0], fired, keys->n);
	check_equal(names[1], right, keys->n);
}
