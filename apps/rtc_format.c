/*
 * rtc, test format (BC-09): in each format, BCD or binary by 12 or 24 hours, the clock goes
 * over the full hour and shows the next by the data sheet's table; an alarm set there fires
 * once, and one on the opposite half day does not.
 *
 * A divider that leaves reset makes its first update half a second later: so long a turn takes.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define PATIENCE_S 5

static const char *const names[] = {
	"format: each hour reads as the table says",
	"format: an alarm on the hour fires",
	"format: an alarm twelve hours off does not",
};

static uint8_t number(unsigned n, uint8_t format)
{
	return format & RTC_B_BINARY ? (uint8_t)n : rtc_bcd(n);
}

/* 12 AM is hour 0 and 12 PM hour 12. */
static uint8_t hour_byte(unsigned hour, uint8_t format)
{
	if (format & RTC_B_24_HOURS)
		return number(hour, format);
	return number((hour + 11) % 12 + 1, format) | (hour >= 12 ? RTC_HOURS_PM : 0);
}

/* Half a second before `hour`, with the alarm at alarm_hour:00:00. */
static void cross(unsigned hour, unsigned alarm_hour, uint8_t format)
{
	unsigned before = (hour + 23) % 24;

	rtc_set_register(RTC_B, RTC_B_SET | format);
	rtc_set_register(RTC_A, RTC_A_DIVIDER_RESET);
	rtc_set_register(RTC_SECONDS, number(59, format));
	rtc_set_register(RTC_MINUTES, number(59, format));
	rtc_set_register(RTC_HOURS, hour_byte(before, format));
	rtc_set_register(RTC_SECONDS_ALARM, 0);
	rtc_set_register(RTC_MINUTES_ALARM, 0);
	rtc_set_register(RTC_HOURS_ALARM, hour_byte(alarm_hour, format));
	rtc_register(RTC_C);
	rtc_flags_seen = 0;
	rtc_set_register(RTC_B, format | RTC_UF | RTC_AF);
	rtc_set_rate(0);
}

/* The flags of the update, both of which register C gave at once; 0: it never came. */
static uint8_t wait_update(void)
{
	uint8_t flags;

	if (!rtc_wait(RTC_UF, PATIENCE_S))
		return 0;
	flags = rtc_flags_seen;
	rtc_flags_seen = 0;
	return flags | RTC_UF;
}

void rtc_format(const struct rtc_keys *keys)
{
	static const uint8_t formats[] = {0, RTC_B_BINARY, RTC_B_24_HOURS,
					  RTC_B_BINARY | RTC_B_24_HOURS};
	static const uint8_t some[] = {0, 11, 12, 23};
	unsigned hours = keys->all_hours ? 24 : sizeof(some), shown = 0, fired = 0, not_fired = 0;

	if (!rtc_irq_begin(names, 3))
		return;
	for (unsigned f = 0; f < sizeof(formats); f++) {
		for (unsigned i = 0; i < hours; i++) {
			unsigned hour = keys->all_hours ? i : some[i];

			uint8_t there, opposite, shows;

			cross(hour, hour, formats[f]);
			there = wait_update();
			shows = rtc_register(RTC_HOURS);
			cross(hour, (hour + 12) % 24, formats[f]);
			opposite = wait_update();
			if (shows != hour_byte(hour, formats[f]) || !(there & RTC_AF) ||
			    (opposite & (RTC_AF | RTC_UF)) != RTC_UF)
				ktap_note(
					"format: B %#04x, hour %u: shows %#04x; flags %#04x, with "
					"the alarm 12 hours off %#04x",
					formats[f], hour, shows, there, opposite);
			shown += shows == hour_byte(hour, formats[f]);
			fired += (there & RTC_AF) != 0;
			not_fired += (opposite & (RTC_AF | RTC_UF)) == RTC_UF;
		}
	}
	rtc_irq_end();
	rtc_set_register(RTC_B, RTC_B_24_HOURS);
	check_equal(names[0], shown, sizeof(formats) * hours);
	check_equal(names[1], fired, sizeof(formats) * hours);
	check_equal(names[2], not_fired, sizeof(formats) * hours);
}
