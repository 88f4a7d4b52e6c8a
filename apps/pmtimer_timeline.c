/*
 * pmtimer: timelines, in exact integer arithmetic.
 *
 * An exact counter shows floor(phase + HZ · t) at some t of each bracket. So each
 * reading bounds the phase from both sides, and all of them must have a phase in common.
 */
#include "pmtimer_timeline.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/pmtimer.h"
#include "drivers/tsc.h"
#include "kernel/app.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define NS_PER_S UINT64_C(1000000000)

/* Of the readings, the share at either end in which the narrowest bracket is looked for. */
#define END_SHARE 4

struct timeline_reference timeline_reference(void)
{
	if (pair_present())
		return (struct timeline_reference){"the host's clock", pair_host_ns, NS_PER_S,
						   true};
	return (struct timeline_reference){"the TSC", rdtsc_ordered, tsc_hz(), false};
}

void timeline_init(struct timeline *timeline, unsigned room)
{
	uint64_t *values = malloc(3 * (uint64_t)room * sizeof(*values));

	if (!values)
		app_exit(TK_EXIT_SKIPPED, "pmtimer: no memory for %u readings", room);
	*timeline = (struct timeline){
		.reference = timeline_reference(),
		.before = values,
		.ticks = values + room,
		.after = values + 2 * (uint64_t)room,
		.room = room,
	};
	if (!timeline->reference.hz)
		app_exit(TK_EXIT_SKIPPED, "pmtimer: neither pair contract nor a TSC of known rate");
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->before);
}

/* Reference time as ticks; what it is used for spans less than an hour. */
static uint64_t to_ticks(const struct timeline *timeline, uint64_t units)
{
	uint64_t hz = timeline->reference.hz;

	return units / hz * PMTIMER_HZ + units % hz * PMTIMER_HZ / hz;
}

/* Of all values that show as `shown`, the nearest to what the reference makes one expect. */
static uint64_t extend(const struct timeline *timeline, uint64_t before, uint32_t shown)
{
	unsigned last = timeline->count - 1;
	uint64_t expected = timeline->ticks[last] +
			    to_ticks(timeline, before - timeline->after[last]);
	int64_t turn = (int64_t)pmtimer_mask() + 1;
	int64_t off = (int64_t)((shown - expected) & pmtimer_mask());

	return expected + (uint64_t)(off < turn / 2 ? off : off - turn);
}

void timeline_read(struct timeline *timeline, uint32_t (*read)(void))
{
	unsigned i = timeline->count;
	uint64_t before;
	uint32_t shown;

	if (i == timeline->room)
		return;
	before = timeline->reference.read();
	shown = read();
	timeline->after[i] = timeline->reference.read();
	timeline->before[i] = before;
	timeline->ticks[i] = i ? extend(timeline, before, shown) : shown;
	timeline->count++;
}

uint64_t timeline_elapsed(const struct timeline *timeline)
{
	return timeline->after[timeline->count - 1] - timeline->before[0];
}

/* ticks - HZ · time, both from the first reading on, in units of 1/hz tick. */
static int64_t phase_at(const struct timeline *timeline, unsigned i, uint64_t time)
{
	int64_t ticks = (int64_t)(timeline->ticks[i] - timeline->ticks[0]);

	return ticks * (int64_t)timeline->reference.hz -
	       PMTIMER_HZ * (int64_t)(time - timeline->before[0]);
}

uint64_t timeline_error_milliticks(const struct timeline *timeline)
{
	int64_t lowest = INT64_MAX, highest = INT64_MIN;

	for (unsigned i = 0; i < timeline->count; i++) {
		int64_t least = phase_at(timeline, i, timeline->after[i]);
		int64_t most = phase_at(timeline, i, timeline->before[i]);

		highest = least > highest ? least : highest;
		lowest = most < lowest ? most : lowest;
	}
	if (highest <= lowest)
		return 0;
	return (uint64_t)(highest - lowest) / (timeline->reference.hz / 1000);
}

static unsigned narrowest(const struct timeline *timeline, unsigned from, unsigned to)
{
	unsigned best = from;

	for (unsigned i = from; i < to; i++) {
		if (timeline->after[i] - timeline->before[i] <
		    timeline->after[best] - timeline->before[best])
			best = i;
	}
	return best;
}

struct timeline_rate timeline_rate(const struct timeline *timeline)
{
	unsigned count = timeline->count, share = count / END_SHARE + 1;
	unsigned first = narrowest(timeline, 0, share);
	unsigned last = narrowest(timeline, count - share, count);
	uint64_t least = timeline->before[last] - timeline->after[first];
	uint64_t most = timeline->after[last] - timeline->before[first];
	uint64_t middle = least + (most - least) / 2;
	int64_t error = (int64_t)((timeline->ticks[last] - timeline->ticks[first]) *
				  timeline->reference.hz) -
			(int64_t)(middle * PMTIMER_HZ);
	int64_t per_ppb = (int64_t)(middle * PMTIMER_HZ / NS_PER_S);

	return (struct timeline_rate){
		.ppb = error / per_ppb,
		.uncertainty_ppb = ((most - least) / 2 * PMTIMER_HZ + timeline->reference.hz) /
				   (uint64_t)per_ppb,
	};
}

static void send(const struct timeline *timeline, const char *name, const char *part,
		 const char *unit, const uint64_t *values)
{
	char metric[TK_NAME_SIZE];

	snprintf(metric, sizeof(metric), "%s.%s", name, part);
	pair_samples(metric, unit, values, timeline->count, sizeof(*values));
}

void timeline_send(const struct timeline *timeline, const char *name)
{
	const char *unit = timeline->reference.is_host ? "ns" : "tsc";

	send(timeline, name, "before", unit, timeline->before);
	send(timeline, name, "ticks", "ticks", timeline->ticks);
	send(timeline, name, "after", unit, timeline->after);
}
