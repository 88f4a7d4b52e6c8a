/*
 * pmtimer, test rate (BC-01): a counter that loses a fraction of a tick at each reading
 * is right when it is read rarely and slow when it is read flat out; one whose period is
 * rounded is wrong at any rate of reading.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "drivers/pmtimer.h"
#include "kernel/clock.h"
#include "kernel/ktap.h"
#include "pmtimer_timeline.h"

#define NS_PER_S	    UINT64_C(1000000000)
#define SLOW_READS_A_S	    10
#define FLAT_BRACKETS_A_S   200
#define FLAT_BRACKETS_MAX   20000
#define BOTH_READINGS	    256
#define ERROR_MILLITICKS    2000
#define RATES_DIFFER_PPB    50000
#define READS_A_BRACKET_MAX (1u << 20) /* a counter that stands still ends the wait, too */

static bool is_over(const struct timeline *timeline, uint64_t seconds)
{
	return timeline->count == timeline->room ||
	       timeline_elapsed(timeline) >= seconds * timeline->reference.hz;
}

static void read_slowly(struct timeline *timeline, uint64_t seconds)
{
	uint64_t next = clock_now_ns();

	timeline_read(timeline, pmtimer_ticks);
	while (!is_over(timeline, seconds)) {
		next += NS_PER_S / SLOW_READS_A_S;
		clock_sleep_until(next);
		timeline_read(timeline, pmtimer_ticks);
	}
}

/* Reads until `ticks` have passed, or very often; returns how often. */
static uint64_t read_for(uint32_t ticks)
{
	uint32_t start = pmtimer_ticks();
	uint64_t reads = 1;

	while (reads < READS_A_BRACKET_MAX && ((pmtimer_ticks() - start) & pmtimer_mask()) < ticks)
		reads++;
	return reads;
}

/* Nothing but the PM timer is read between two brackets. */
static uint64_t read_flat_out(struct timeline *timeline, uint64_t seconds, uint64_t brackets)
{
	uint32_t interval = (uint32_t)(seconds * PMTIMER_HZ / brackets);
	uint64_t reads = 0;

	timeline_read(timeline, pmtimer_ticks);
	while (!is_over(timeline, seconds)) {
		reads += read_for(interval);
		timeline_read(timeline, pmtimer_ticks);
	}
	return reads + timeline->count;
}

static void judge_error(const struct timeline *timeline, const char *name, uint64_t reads)
{
	uint64_t error = timeline_error_milliticks(timeline);

	if (!timeline->reference.is_host) {
		ktap_skip(name, "no host's clock: no pair contract");
		return;
	}
	ktap_note("%s: %" PRIu64 " reads, %u brackets: measured %" PRIu64 ".%03" PRIu64
		  " ticks, bound %u",
		  name, reads, timeline->count, error / 1000, error % 1000,
		  ERROR_MILLITICKS / 1000);
	ktap_result(error <= ERROR_MILLITICKS, "%s", name);
}

static void judge_rates(const struct timeline *slow, const struct timeline *flat)
{
	struct timeline_rate a = timeline_rate(slow), b = timeline_rate(flat);
	uint64_t differ = (uint64_t)(a.ppb > b.ppb ? a.ppb - b.ppb : b.ppb - a.ppb);
	uint64_t uncertainty = a.uncertainty_ppb + b.uncertainty_ppb;

	ktap_note("rate less nominal, by %s: slow %" PRId64 ", flat out %" PRId64
		  " ppb; difference: measured %" PRIu64 " ppb, bound %u and %" PRIu64
		  " of the brackets",
		  slow->reference.name, a.ppb, b.ppb, differ, RATES_DIFFER_PPB, uncertainty);
	ktap_result(differ <= RATES_DIFFER_PPB + uncertainty, "rates slow and flat out agree");
}

/* The page and the port are one counter: read in turns they have one timeline. */
static void compare_page_with_port(void)
{
	const char *name = "rate: page and port show one timeline";
	struct timeline both;

	if (strcmp(pmtimer_method(), "page")) {
		ktap_skip(name, "the PM timer is read by its %s alone", pmtimer_method());
		return;
	}
	timeline_init(&both, BOTH_READINGS);
	for (unsigned i = 0; i < BOTH_READINGS; i++)
		timeline_read(&both, i % 2 ? pmtimer_ticks : pmtimer_port_ticks);
	judge_error(&both, name, both.count);
	timeline_free(&both);
}

void pmtimer_rate(const struct pmtimer_keys *keys)
{
	uint64_t brackets = keys->seconds * FLAT_BRACKETS_A_S;
	struct timeline slow, flat;
	uint64_t reads;

	if (brackets > FLAT_BRACKETS_MAX)
		brackets = FLAT_BRACKETS_MAX;
	timeline_init(&slow, (unsigned)(keys->seconds * SLOW_READS_A_S) + 2);
	timeline_init(&flat, (unsigned)brackets + 2);
	read_slowly(&slow, keys->seconds);
	reads = read_flat_out(&flat, keys->seconds, brackets);
	judge_error(&slow, "rate: error at 10 reads a second", slow.count);
	judge_error(&flat, "rate: error flat out", reads);
	judge_rates(&slow, &flat);
	compare_page_with_port();
	timeline_send(&slow, "pmtimer.slow");
	timeline_send(&flat, "pmtimer.flat");
	timeline_free(&slow);
	timeline_free(&flat);
}
