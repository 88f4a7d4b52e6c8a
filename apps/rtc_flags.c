/*
 * rtc, test flags (BC-10): PF, AF and UF set while their interrupts are masked; register C
 * gives all and clears all; enabling one whose flag is up raises the line at once.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define NS_PER_MS UINT64_C(1000000)
#define WATCH_S	  3
#define RATE_8_HZ 13

static const char *const late = "flags: enabling an interrupt whose flag is up raises it";

/*
 * All three come up, and no update for a while: the first one after a divider's reset is half
 * a second later, which is sooner than the next would be.
 */
static void await_flags(void)
{
	rtc_enable(0);
	rtc_set_register(RTC_A, RTC_A_DIVIDER_RESET);
	rtc_register(RTC_C);
	rtc_set_rate(RATE_8_HZ);
	clock_sleep_until(clock_now_ns() + 550 * NS_PER_MS);
}

static void any_alarm(void)
{
	rtc_set_register(RTC_SECONDS_ALARM, RTC_ALARM_ANY);
	rtc_set_register(RTC_MINUTES_ALARM, RTC_ALARM_ANY);
	rtc_set_register(RTC_HOURS_ALARM, RTC_ALARM_ANY);
}

/* Looked at far more often than they come; each in its own time, one more or less at the ends. */
static void count_masked(void)
{
	uint64_t start = rtc_test_ns(), elapsed;
	unsigned pf = 0, af = 0, uf = 0, irqf = 0, seconds;

	rtc_register(RTC_C);
	do {
		uint8_t flags = rtc_register(RTC_C);

		pf += (flags & RTC_PF) != 0;
		af += (flags & RTC_AF) != 0;
		uf += (flags & RTC_UF) != 0;
		irqf += (flags & RTC_C_IRQF) != 0;
		clock_sleep_until(clock_now_ns() + 20 * NS_PER_MS);
		elapsed = rtc_test_ns() - start;
	} while (elapsed < WATCH_S * 1000 * NS_PER_MS);
	seconds = (unsigned)(elapsed / (1000 * NS_PER_MS));
	ktap_note("flags: in %" PRIu64 " ms: PF %u at 8 Hz, AF %u, UF %u, IRQF %u",
		  elapsed / NS_PER_MS, pf, af, uf, irqf);
	ktap_result(pf + 1 >= 8 * seconds && pf <= 8 * (seconds + 1) && af + 1 >= seconds &&
			    af <= seconds + 1 && uf + 1 >= seconds && uf <= seconds + 1,
		    "flags: each sets while its interrupt is masked");
	check_equal("flags: IRQF is clear while all are masked", irqf, 0);
}

/* With all three flags up, each of the 8 combinations of enables is read. */
static void read_combinations(void)
{
	unsigned right = 0;

	for (unsigned enables = 0; enables < 8; enables++) {
		uint8_t bits = (uint8_t)(enables << 4), flags;

		await_flags();
		rtc_enable(bits);
		flags = rtc_register(RTC_C);
		right += (flags & (RTC_PF | RTC_AF | RTC_UF)) == (RTC_PF | RTC_AF | RTC_UF);
		right += !!(flags & RTC_C_IRQF) == (bits != 0);
		right += (rtc_register(RTC_C) & (RTC_AF | RTC_UF)) == 0;
	}
	rtc_enable(0);
	check_equal("flags: IRQF = flags and enables, in all 8; a second read finds none", right,
		    24);
}

static void enable_late(void)
{
	static const uint8_t bits[] = {RTC_PF, RTC_AF, RTC_UF};
	unsigned raised = 0;

	if (!rtc_irq_begin(&late, 1))
		return;
	for (unsigned i = 0; i < sizeof(bits); i++) {
		await_flags();
		rtc_flags_seen = 0;
		rtc_set_rate(0); /* no further tick comes to the rescue */
		rtc_set_register(RTC_SECONDS_ALARM, 0x7f);
		rtc_enable(bits[i]);
		clock_sleep_until(clock_now_ns() + 20 * NS_PER_MS);
		raised += (rtc_flags_seen & bits[i]) != 0;
		any_alarm();
	}
	rtc_irq_end();
	check_equal(late, raised, sizeof(bits));
}

void rtc_flags(const struct rtc_keys *keys)
{
	rtc_enable(0);
	rtc_set_rate(RATE_8_HZ);
	any_alarm();
	count_masked();
	read_combinations();
	enable_late();
}
