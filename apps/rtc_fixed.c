/*
 * rtc, test fixed (BC-30): the alarm sets RTC_STS, and shares the SCI with the PM timer
 * (ACPI 6.5 § 4.8.3.1). Both are up before an interrupt is taken, and the handler clears one
 * at a time: the other must bring it back.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "drivers/acpi.h"
#include "drivers/pm1.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define NS_PER_MS	  UINT64_C(1000000)
#define TRIES		  100 /* of 60 ms: the PM timer's status comes each 2.3 s (24 bits) */
#define FADT_NO_FIXED_RTC (1u << 6)

static const char *const names[] = {
	"fixed: the alarm sets RTC_STS",
	"fixed: clearing one of two sources loses not the other",
	"fixed: then the line is low",
};

static volatile unsigned timer_events, alarm_events, scis;

/* One event a call, the alarm's first. */
static void take_one(void *argument)
{
	uint16_t status = pm1_status() & pm1_enabled();

	scis++;
	if (status & PM1_RTC) {
		alarm_events++;
		pm1_clear(PM1_RTC);
	} else if (status & PM1_TIMER) {
		timer_events++;
		pm1_clear(PM1_TIMER);
	}
}

static bool wait_status(uint16_t wanted)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if ((pm1_status() & wanted) == wanted)
			return true;
		clock_sleep_until(clock_now_ns() + 60 * NS_PER_MS);
	}
	return false;
}

static void take_both(void)
{
	bool both = wait_status(PM1_RTC | PM1_TIMER);
	unsigned quiet;

	rtc_set_register(RTC_SECONDS_ALARM, 0x7f); /* no further one */
	pm1_enable(PM1_RTC | PM1_TIMER);
	clock_sleep_until(clock_now_ns() + 50 * NS_PER_MS);
	ktap_note("fixed: both up: %d; SCIs %u: alarm %u, timer %u", both, scis, alarm_events,
		  timer_events);
	ktap_result(both && alarm_events >= 1 && timer_events >= 1, "%s", names[1]);
	pm1_enable(PM1_RTC);
	pm1_clear(PM1_TIMER);
	quiet = scis;
	clock_sleep_until(clock_now_ns() + 50 * NS_PER_MS);
	check_equal(names[2], scis - quiet, 0);
	pm1_enable(0);
}

void rtc_fixed(const struct rtc_keys *keys)
{
	bool fixed = acpi_fadt()->header.length && !(acpi_fadt()->flags & FADT_NO_FIXED_RTC);

	if (!fixed || !pm1_present() || pm1_sci_attach(take_one, NULL) != 0) {
		for (unsigned i = 0; i < 3; i++)
			ktap_skip(names[i], "no fixed RTC event, or no SCI");
		return;
	}
	pm1_enable(0);
	pm1_clear(PM1_RTC | PM1_TIMER);
	rtc_set_register(RTC_SECONDS_ALARM, RTC_ALARM_ANY);
	rtc_set_register(RTC_MINUTES_ALARM, RTC_ALARM_ANY);
	rtc_set_register(RTC_HOURS_ALARM, RTC_ALARM_ANY);
	rtc_register(RTC_C);
	rtc_enable(RTC_AF);
	ktap_result(wait_status(PM1_RTC), "%s", names[0]);
	take_both();
	rtc_enable(0);
	pm1_sci_detach();
}
