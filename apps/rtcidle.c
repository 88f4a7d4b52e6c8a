/*
 * rtcidle: a guest that idles as Windows does (thread 003): the RTC's periodic interrupt at
 * 64 Hz is its clock tick, whose handler reads register C, and after each tick it looks at
 * the time. Between ticks it halts.
 *
 * Each tick meets the VMM's timer thread at the chip: it is there to raise what the handler
 * acknowledges. What that costs the VMM in locks is for the VMM's counts to say.
 *
 * Samples: rtcidle.late, of each tick against the grid of the earliest, by the host's clock
 * or the best of the guest's (a tick that is late by a whole period was merged with the next,
 * and counts by the rest); rtcidle.accesses.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define NS_PER_S UINT64_C(1000000000)
#define RATE	 10 /* RS: 64 Hz */
#define HZ	 64

const struct app_key rtcidle_keys[] = {
	{"seconds", "to idle, 1 to 600 (3)"},
	{NULL, NULL},
};

static volatile uint32_t ticks, accesses;
static volatile uint64_t tick_ns;

static void on_tick(void *argument)
{
	bool ticked = rtc_register(RTC_C) & RTC_PF;

	tick_ns = rtc_test_ns();
	accesses += 2; /* index, data */
	ticks += ticked;
}

/* As a guest's tick does: is it a new second? */
static void look_at_time(void)
{
	static const uint8_t registers[] = {RTC_A, RTC_SECONDS, RTC_MINUTES, RTC_HOURS};

	for (unsigned i = 0; i < sizeof(registers); i++)
		rtc_register(registers[i]);
	accesses += 2 * sizeof(registers);
}

/* False: none came within a second. */
static bool wait_tick(uint32_t seen)
{
	uint64_t deadline = clock_now_ns() + NS_PER_S;
	bool irqs_on = irq_save();

	while (ticks == seen && clock_doze_until(deadline))
		;
	irq_restore(irqs_on);
	return ticks != seen;
}

/* In place: how far each is behind the grid, which lies so that the earliest is on it. */
static void make_late(uint64_t *times, uint32_t count)
{
	uint64_t earliest = UINT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		times[i] = times[i] % (NS_PER_S / HZ);
		if (times[i] < earliest)
			earliest = times[i];
	}
	for (uint32_t i = 0; i < count; i++)
		times[i] -= earliest;
}

static uint32_t idle(uint64_t *times, uint32_t count)
{
	uint64_t first = 0;
	uint32_t taken = 0;

	while (taken < count && wait_tick(taken)) {
		if (!taken)
			first = tick_ns;
		times[taken++] = tick_ns - first + NS_PER_S / HZ / 2;
		look_at_time();
		ticks = taken; /* a tick that came meanwhile was merged by us */
	}
	return taken;
}

int rtcidle_main(void)
{
	uint32_t count = (uint32_t)app_number("seconds", 3, 1, 600) * HZ, taken, total;
	uint64_t *times = malloc(count * sizeof(*times));

	if (!rtc_present() || rtc_irq_attach(on_tick, NULL) != 0)
		app_exit(TK_EXIT_SKIPPED, "rtcidle: no RTC, or no I/O APIC to bring its interrupt");
	if (!times)
		app_exit(TK_EXIT_SKIPPED, "rtcidle: no memory for %" PRIu32 " samples", count);
	ktap_begin(1);
	rtc_set_rate(RATE);
	rtc_enable(RTC_PF);
	wait_tick(0);
	ticks = accesses = 0;
	pair_phase_begin("rtcidle");
	taken = idle(times, count);
	pair_phase_end("rtcidle", accesses);
	rtc_irq_detach();
	total = accesses;
	pair_samples("rtcidle.accesses", "accesses", &total, 1, sizeof(total));
	make_late(times, taken);
	pair_samples("rtcidle.late", "ns", times, taken, sizeof(*times));
	free(times);
	check_equal("rtcidle: each tick came", taken, count);
	return ktap_end();
}
