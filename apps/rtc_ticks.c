/*
 * rtc, test ticks: 1024 Hz by interrupt, against the host's clock. There are no more ticks
 * than periods, and half of them at least: a host that comes late merges some, as the chip
 * does. How many were due, delivered and merged the VMM counts exactly (rtc_ticks).
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
#define LOST_PART 2

static const char *const names[] = {
	"ticks: no more of them than the time has",
	"ticks: they come at their rate, but for what a late host merges",
};

/* Halted between ticks: an idle guest's way to wait. */
static void watch(uint64_t ns)
{
	uint64_t until = rtc_test_ns() + ns, deadline = clock_now_ns() + 10 * ns + NS_PER_S;
	bool irqs_on = irq_save();

	while (rtc_test_ns() < until && clock_doze_until(deadline))
		;
	irq_restore(irqs_on);
}

void rtc_ticks(const struct rtc_keys *keys)
{
	uint64_t before, begin, end, least, most;
	uint32_t ticks;

	if (!rtc_irq_begin(names, 2))
		return;
	rtc_set_rate(RATE);
	before = rtc_test_ns();
	rtc_enable(RTC_PF);
	rtc_wait(RTC_PF, 1);
	begin = rtc_test_ns();
	rtc_ticks_seen = 0;
	pair_phase_begin("rtc.ticks");
	watch(keys->seconds * NS_PER_S);
	ticks = rtc_ticks_seen;
	end = rtc_test_ns();
	pair_phase_end("rtc.ticks", ticks);
	rtc_enable(0);
	rtc_irq_end();
	least = (end - begin) * HZ / NS_PER_S;
	most = (end - before) * HZ / NS_PER_S + 1;
	ktap_note("ticks: measured %" PRIu32 ", bound %" PRIu64 " to %" PRIu64, ticks,
		  least - least / LOST_PART, most);
	ktap_result(ticks <= most, "%s", names[0]);
	ktap_result(ticks + 1 >= least - least / LOST_PART, "%s", names[1]);
}
