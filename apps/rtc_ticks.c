/*
 * rtc, test ticks: 1024 Hz by interrupt, against the host's clock, after the first tick. There
 * are no more ticks than periods, and half of them at least: a host that comes late merges
 * some, as the chip does. In virtual time none is late, and there are exactly as many (BC-07).
 * How many were due, delivered and merged the VMM counts exactly (rtc_ticks).
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define NS_PER_S  UINT64_C(1000000000)
#define RATE	  6
#define HZ	  1024
#define PERIOD_NS (NS_PER_S / HZ)
#define LOST_PART 2

static const char *const names[] = {
	"ticks: no more of them than the time has",
	"ticks: they come at their rate, but for what a late host merges",
};

/*
 * Halted between ticks: an idle guest's way to wait. The tick that shows that the time is over
 * came after it, so what counts is what the look before has seen.
 */
static uint32_t count_until(uint64_t until, uint64_t deadline)
{
	bool irqs_on = irq_save();
	uint32_t ticks;

	do {
		ticks = rtc_ticks_seen;
	} while (clock_doze_until(deadline) && rtc_test_ns() < until);
	irq_restore(irqs_on);
	return ticks;
}

void rtc_ticks(const struct rtc_keys *keys)
{
	uint64_t before, until, length = keys->seconds * NS_PER_S, least, most;
	uint32_t ticks;

	if (!rtc_irq_begin(names, 2))
		return;
	rtc_set_rate(RATE);
	before = rtc_test_ns();
	rtc_enable(RTC_PF);
	rtc_wait(RTC_PF, 1);
	rtc_ticks_seen = 0;
	until = rtc_test_ns() + length + PERIOD_NS / 2; /* its last tick is well within */
	pair_phase_begin("rtc.ticks");
	ticks = count_until(until, clock_now_ns() + 10 * length + NS_PER_S);
	pair_phase_end("rtc.ticks", rtc_ticks_seen);
	rtc_enable(0);
	rtc_irq_end();
	least = keys->seconds * HZ / LOST_PART;
	most = (until - before) * HZ / NS_PER_S + 1;
	ktap_note("ticks: measured %" PRIu32 ", bound %" PRIu64 " to %" PRIu64, ticks, least, most);
	ktap_result(ticks <= most, "%s", names[0]);
	ktap_result(ticks >= least, "%s", names[1]);
}
