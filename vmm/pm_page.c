/* The exit-less PM timer's arithmetic: see pm_page.h. */
#include "pm_page.h"

#include "devices/pmtimer.h"
#include "host_clock.h"

typedef unsigned __int128 count128;

/* ns * PMTIMER_HZ / 10^9: whole seconds are whole ticks. */
static count128 count_of_ns(uint64_t ns)
{
	count128 whole = (count128)(ns / NS_PER_S * PMTIMER_HZ) << 64;
	count128 part = (count128)(ns % NS_PER_S * PMTIMER_HZ) << 64;

	return whole + part / NS_PER_S;
}

count128 pm_page_count(const struct pm_page_line *line, uint64_t tsc)
{
	count128 base = (count128)line->ticks << 64 | line->fraction;

	return base + (count128)(tsc - line->tsc_base) * line->multiplier;
}

/* NTP's daemons slew a clock by a twelfth at most; what differs by more has stepped. */
#define SLEW_MAX(rate) ((rate) / 8)

/* Ticks a TSC tick since the last sample, in 2^-64; as stated where that cannot be known. */
static uint64_t measured_rate(const struct pm_page_line *line, const struct pm_page_sample *sample)
{
	uint64_t stated = line->stated_rate;
	count128 rate;

	if (sample->tsc <= line->last.tsc || sample->ns < line->last.ns)
		return stated;
	rate = count_of_ns(sample->ns) - count_of_ns(line->last.ns);
	rate /= sample->tsc - line->last.tsc;
	if (rate < stated - SLEW_MAX(stated) || rate > stated + SLEW_MAX(stated))
		return stated;
	return (uint64_t)rate;
}

/* The slope that takes off in catch_up_tsc what the count is ahead; at least half the rate. */
static uint64_t slowed(uint64_t rate, count128 ahead, uint64_t catch_up_tsc)
{
	count128 less = ahead / catch_up_tsc;

	return less < rate / 2 ? rate - (uint64_t)less : rate - rate / 2;
}

static void set_base(struct pm_page_line *line, uint64_t tsc, count128 count)
{
	line->tsc_base = tsc;
	line->ticks = (uint64_t)(count >> 64);
	line->fraction = (uint64_t)count;
}

void pm_page_start(struct pm_page_line *line, const struct pm_page_sample *sample, uint32_t tsc_khz)
{
	set_base(line, sample->tsc, count_of_ns(sample->ns));
	line->stated_rate = (uint64_t)(((count128)PMTIMER_HZ << 64) / 1000 / tsc_khz);
	line->multiplier = line->stated_rate;
	line->last = *sample;
	line->catch_up_tsc = PM_PAGE_REFRESH_MAX_NS / NS_PER_MS * tsc_khz;
}

void pm_page_refresh(struct pm_page_line *line, const struct pm_page_sample *sample, uint64_t tsc)
{
	count128 shown = pm_page_count(line, tsc);
	uint64_t rate = measured_rate(line, sample);
	count128 right = count_of_ns(sample->ns) + (count128)(tsc - sample->tsc) * rate;

	line->last = *sample;
	line->multiplier = rate;
	if (shown > right) {
		line->multiplier = slowed(rate, shown - right, line->catch_up_tsc);
		right = shown;
	}
	set_base(line, tsc, right);
}
