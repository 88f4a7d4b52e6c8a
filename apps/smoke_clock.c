/*
 * smoke: the clocks count, never step back, and agree with one another.
 */
/* newlib declares clock_gettime() only for the systems that it knows; the kernel has it. */
#define _POSIX_TIMERS	       1
#define _POSIX_MONOTONIC_CLOCK 1
#include "smoke.h"

#include <stddef.h>
#include <sys/time.h>
#include <time.h>

#include "drivers/pit.h"
#include "drivers/pmtimer.h"
#include "drivers/rtc.h"
#include "drivers/tsc.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define READS	  32
#define WINDOW_NS 5000000 /* over which two clocks are compared; 18,000 ticks of the PM timer */
#define NS_PER_S  UINT64_C(1000000000)

/* Reads a clock of `width` bits in a row: no step back, and not always the same. */
static enum verdict counts_up(uint64_t (*read)(void), unsigned width)
{
	uint64_t mask = UINT64_MAX >> (64 - width);
	uint64_t first = read(), last = first;

	for (unsigned i = 0; i < READS; i++) {
		uint64_t now = read(), step = (now - last) & mask;

		EXPECT(now <= mask, "read %#lx, wider than %u bits", now, width);
		EXPECT(step <= mask / 2, "from %#lx back to %#lx", last, now);
		last = now;
	}
	EXPECT(last != first, "%u reads gave %#lx", READS, first);
	return PASS;
}

/* Two clocks over a window in which this CPU sleeps. */
static enum verdict agrees_with_tsc(const struct clock_source *clock)
{
	uint64_t hz = clock->frequency(), ticks;
	struct bracket from, to;

	if (!tsc_hz())
		return skipped("nothing tells the TSC's frequency");
	from = bracket(rdtsc_ordered, clock->read);
	clock_sleep_until(clock_now_ns() + WINDOW_NS);
	to = bracket(rdtsc_ordered, clock->read);
	ticks = (to.value - from.value) & (UINT64_MAX >> (64 - clock->width));
	EXPECT(brackets_agree(&from, &to, tsc_hz(), ticks, hz),
	       "measured %lu ticks of %lu Hz in %lu to %lu TSC ticks of %lu Hz, bound 1 %%", ticks,
	       hz, to.before - from.after, to.after - from.before, tsc_hz());
	return PASS;
}

static enum verdict tsc(void)
{
	uint64_t hz = tsc_hz();

	if (!hz)
		return skipped("nothing tells the TSC's frequency");
	EXPECT(hz >= 100000000 && hz <= 10000000000, "measured %lu Hz, bound 100 MHz to 10 GHz",
	       hz);
	return counts_up(rdtsc_ordered, 64);
}

static enum verdict pmtimer(void)
{
	const struct clock_source *clock = clock_find("pmtimer");

	return clock ? counts_up(clock->read, pmtimer_width()) : skipped("no ACPI PM timer");
}

static enum verdict pmtimer_rate(void)
{
	const struct clock_source *clock = clock_find("pmtimer");

	if (pair_table() && (pair_table()->flags & TK_FLAG_VIRTUAL_TIME))
		return skipped("time is virtual, the TSC's is not");
	return clock ? agrees_with_tsc(clock) : skipped("no ACPI PM timer");
}

static enum verdict kvmclock(void)
{
	const struct clock_source *clock = clock_find("kvmclock");
	enum verdict order;

	if (!clock)
		return skipped("no kvmclock");
	order = counts_up(clock->read, clock->width);
	return order == PASS ? agrees_with_tsc(clock) : order;
}

static uint64_t read_pit(void)
{
	return pit_ticks();
}

/* Its 55 ms a turn are too few to tell a step back from a host's stall. */
static enum verdict pit(void)
{
	uint64_t first, now = 0;

	if (!pit_present())
		return skipped("no PIT");
	first = read_pit();
	for (unsigned i = 0; i < READS; i++) {
		now = read_pit();
		if (now != first)
			return PASS;
	}
	return failed("%u reads gave %#lx", READS, now);
}

static uint64_t read_monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t read_time_of_day(void)
{
	struct timeval t;

	gettimeofday(&t, NULL);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

static enum verdict monotonic(void)
{
	enum verdict order = counts_up(read_monotonic, 64);

	return order == PASS ? counts_up(read_time_of_day, 64) : order;
}

/* The time that newlib gives is the RTC's, carried on by the clock source. */
static enum verdict rtc(void)
{
	int64_t before, after;
	struct rtc_time t;
	time_t now;

	if (!rtc_present())
		return skipped("no RTC");
	EXPECT(rtc_read(&t) == 0, "no legal date, or an update without end");
	before = rtc_seconds();
	now = time(NULL);
	after = rtc_seconds();
	EXPECT(now >= before - 2 && now <= after + 2,
	       "time() is %lld s, the RTC %lld to %lld s, bound 2 s", (long long)now,
	       (long long)before, (long long)after);
	return PASS;
}

const struct smoke_check smoke_clock_checks[] = {
	{"TSC has a frequency and never steps back", tsc},
	{"PM timer counts within its width", pmtimer},
	{"PM timer agrees with the TSC", pmtimer_rate},
	{"kvmclock never steps back and agrees with the TSC", kvmclock},
	{"PIT counts", pit},
	{"RTC shows a date, and time() is near it", rtc},
	{"clock_gettime and gettimeofday never step back", monotonic},
	{NULL, NULL},
};
