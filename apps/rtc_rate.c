/*
 * rtc, test rate (BC-07): ticks are one series. The rate goes between 8 Hz and 2 Hz each
 * 310 ms, and the periods of the ticks add up to the time; then register C is read late, or
 * the registers are written as they are, and the ticks come no slower.
 */
#include <inttypes.h>
#include <stddef.h>

#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define NS_PER_MS   UINT64_C(1000000)
#define RATE_FAST   13
#define RATE_SLOW   15
#define TURN_NS	    (310 * NS_PER_MS)
#define SLOW_NS	    (500 * NS_PER_MS)
#define RATE_LATE   10 /* 64 Hz: a period of 15.6 ms */
#define TICKS	    48
#define WRITES	    4  /* of A and B in a period */
#define LATE_SHARES 10 /* of a period, by which C is read late: 0 to 9 of them in turn */

static const char *const names[] = {
	"rate: the ticks' periods add up to the time, through all changes",
	"rate: a late read of register C delays no tick",
	"rate: writing A and B as they are delays no tick",
};

static volatile uint64_t sum_ns, period_ns;

static void count_period(void *argument)
{
	if (rtc_register(RTC_C) & RTC_PF)
		sum_ns += period_ns;
}

static void change_rates(uint64_t seconds)
{
	unsigned turns = (unsigned)(seconds * 1000 * NS_PER_MS / TURN_NS) & ~1u;
	uint64_t start, elapsed, difference;

	rtc_set_rate(RATE_FAST);
	period_ns = 1000 * NS_PER_MS / rtc_rate_hz(RATE_FAST);
	sum_ns = 0;
	rtc_enable(RTC_PF);
	start = rtc_test_ns();
	for (unsigned i = 0; i < turns; i++) {
		unsigned rate = i % 2 ? RATE_SLOW : RATE_FAST;
		bool irqs_on = irq_save();

		rtc_set_rate(rate);
		period_ns = 1000 * NS_PER_MS / rtc_rate_hz(rate);
		irq_restore(irqs_on);
		clock_sleep_until(clock_now_ns() + TURN_NS);
	}
	elapsed = rtc_test_ns() - start;
	rtc_enable(0);
	difference = elapsed > sum_ns ? elapsed - sum_ns : sum_ns - elapsed;
	ktap_note("rate: %u changes in %" PRIu64 " ms: off by %" PRIu64 " ms, bound 500 and a tick",
		  turns, elapsed / NS_PER_MS, difference / NS_PER_MS);
	ktap_result(difference <= SLOW_NS + SLOW_NS / 4, "%s", names[0]);
}

/* In the handler, before C is read: some tenths of a period, another number each time. */
static void read_late(void *argument)
{
	uint64_t delay_ns = period_ns / LATE_SHARES * (rtc_irqs % LATE_SHARES);
	uint64_t until = rtc_test_ns() + delay_ns;

	while (rtc_test_ns() < until)
		;
	if (rtc_register(RTC_C) & RTC_PF)
		rtc_irqs++;
}

static void take(void *argument)
{
	if (rtc_register(RTC_C) & RTC_PF)
		rtc_irqs++;
}

static void write_again(void)
{
	rtc_set_rate(RATE_LATE);
	rtc_enable(RTC_PF);
}

/* A good part of them must come: a host that is late merges some. */
static void count_ticks(const char *name, irq_handler *handler, void (*meanwhile)(void))
{
	uint64_t start, elapsed, due, deadline = clock_now_ns() + 10000 * NS_PER_MS;

	rtc_irq_attach(handler, NULL);
	rtc_set_rate(RATE_LATE);
	period_ns = 1000 * NS_PER_MS / rtc_rate_hz(RATE_LATE);
	rtc_irqs = 0;
	rtc_enable(RTC_PF);
	start = rtc_test_ns();
	while (rtc_irqs < TICKS && clock_now_ns() < deadline) {
		clock_sleep_until(clock_now_ns() + period_ns / WRITES);
		if (meanwhile)
			meanwhile();
	}
	elapsed = rtc_test_ns() - start;
	rtc_irq_detach();
	due = elapsed / period_ns;
	ktap_note("rate: %" PRIu32 " ticks taken, %" PRIu64 " were due, bound 3 of 4", rtc_irqs,
		  due);
	ktap_result(rtc_irqs * 4 >= due * 3, "%s", name);
}

void rtc_rate(const struct rtc_keys *keys)
{
	if (rtc_irq_attach(count_period, NULL) != 0) {
		for (unsigned i = 0; i < 3; i++)
			ktap_skip(names[i], "no I/O APIC to bring IRQ 8");
		return;
	}
	change_rates(keys->seconds);
	rtc_irq_detach();
	count_ticks(names[1], read_late, NULL);
	count_ticks(names[2], take, write_again);
}
