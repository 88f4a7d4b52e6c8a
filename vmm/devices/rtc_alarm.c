/*
 * Alarm of the RTC (MC146818A data sheet, "Time, calendar and alarm locations"): three
 * bytes that an update's hour, minute and second are compared with, or that match any.
 */
#include "../mutant.h"
#include "calendar.h"
#include "rtc_parts.h"

#define ALARM_ANY 0xc0 /* and above */

static bool is_any(uint8_t alarm)
{
	return alarm >= ALARM_ANY;
}

static bool hour_matches(const struct rtc *rtc, unsigned hour)
{
	uint8_t alarm = rtc_byte(rtc, REG_HOURS_ALARM), byte = rtc_encode_hour(rtc, hour);

	if (MUTANT(rtc_alarm_no_pm) && !(rtc_byte(rtc, REG_B) & B_24_HOURS))
		return is_any(alarm) || (alarm & ~HOURS_PM) == (byte & ~HOURS_PM);
	return is_any(alarm) || alarm == byte;
}

static bool matches(const struct rtc *rtc, unsigned alarm_register, unsigned n)
{
	uint8_t alarm = rtc_byte(rtc, alarm_register);

	return is_any(alarm) || alarm == rtc_encode(rtc, n);
}

/* The first second or minute from `from` on that matches; 60: none does. */
static unsigned next_match(const struct rtc *rtc, unsigned alarm_register, unsigned from)
{
	while (from < 60 && !matches(rtc, alarm_register, from))
		from++;
	return from;
}

/* Within one hour, from a minute and second on: seconds into the hour, or 3600. */
static unsigned match_in_hour(const struct rtc *rtc, unsigned minute, unsigned second)
{
	unsigned first = next_match(rtc, REG_SECONDS_ALARM, 0);

	if (first == 60)
		return 3600;
	if (minute < 60 && matches(rtc, REG_MINUTES_ALARM, minute)) {
		second = next_match(rtc, REG_SECONDS_ALARM, second);
		if (second < 60)
			return minute * 60 + second;
	}
	minute = next_match(rtc, REG_MINUTES_ALARM, minute + 1);
	return minute < 60 ? minute * 60 + first : 3600;
}

unsigned rtc_seconds_to_alarm(const struct rtc *rtc, const struct calendar *c)
{
	unsigned since_hour = c->minute * 60 + c->second, in_hour;

	for (unsigned hours = 0; hours <= 24; hours++) {
		if (!hour_matches(rtc, (c->hour + hours) % 24))
			continue;
		in_hour = hours ? match_in_hour(rtc, 0, 0)
				: match_in_hour(rtc, c->minute, c->second + 1);
		if (in_hour < 3600)
			return hours * 3600 + in_hour - since_hour;
	}
	return 0;
}
