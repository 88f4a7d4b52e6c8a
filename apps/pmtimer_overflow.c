/*
 * pmtimer, test overflow (BC-04): with TMR_EN set, each change of the counter's top bit
 * raises one SCI; its handler finds TMR_STS set and the counter past the change, clears
 * the bit, and sees it stay clear.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>

#include "drivers/pm1.h"
#include "drivers/pmtimer.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "pmtimer_boundary.h"

#define EVENTS_MAX 96	      /* then TMR_EN is cleared: the line storms */
#define LATE_NS	   2000000000 /* a host may stall; the SCI that never comes ends the wait here */
#define QUIET_NS   50000000   /* after the last: none comes twice */

static const char *const names[] = {
	"overflow: one SCI for each change of the top bit",
	"overflow: TMR_STS is set at each SCI",
	"overflow: the counter is past the change at each SCI",
	"overflow: TMR_STS is cleared by a 1, and stays clear",
};
#define NAME_COUNT (sizeof(names) / sizeof(*names))

/* What the handler found: the status, then the counter, then the status once more. */
static struct event {
	uint32_t ticks;
	uint16_t status;
	uint16_t status_after_clear;
} events[EVENTS_MAX];
static volatile unsigned event_count;

/*
 * SCIs that a KVM raised again because it had ended the one before early. Nothing is left
 * to do then, and there is one for each at most: any further one counts as an event.
 */
static unsigned repeats;
static bool may_repeat;

static bool is_repeat(const struct event *event)
{
	bool repeat = may_repeat && !(event->status & PM1_TIMER);

	may_repeat = !repeat && !pm1_sci_in_service();
	repeats += repeat;
	return repeat;
}

static void take_sci(void *argument)
{
	struct event event = {.status = pm1_status()};

	event.ticks = pmtimer_ticks();
	if (is_repeat(&event))
		return;
	pm1_clear(PM1_TIMER);
	event.status_after_clear = pm1_status();
	events[event_count] = event;
	if (++event_count == EVENTS_MAX) {
		pm1_enable(0);
		event_count = EVENTS_MAX - 1;
	}
}

/* Halted, until there are so many events, or too late. */
static void wait_events(unsigned wanted)
{
	uint64_t deadline = clock_now_ns() + boundary_ns(boundary_ticks_left()) + LATE_NS;

	while (event_count < wanted && clock_doze_until(deadline))
		;
}

/* Past the change number i + 1 since the counter was in `half`, and not by half a turn. */
static bool is_past(const struct event *event, unsigned i, bool half)
{
	uint32_t distance = boundary_distance(pmtimer_mask());

	return boundary_half(event->ticks) == (half != (i % 2 == 0)) &&
	       (event->ticks & (distance - 1)) < distance / 2;
}

static void judge_count(const char *name, const char *what, uint64_t measured, uint64_t bound)
{
	ktap_note("%s: measured %" PRIu64 ", bound %" PRIu64, what, measured, bound);
	ktap_result(measured == bound, "%s", name);
}

static void judge(uint64_t wanted, bool half, bool set_again)
{
	static uint32_t late[EVENTS_MAX];
	unsigned set = 0, past = 0, cleared = 0;

	for (unsigned i = 0; i < event_count; i++) {
		set += events[i].status & PM1_TIMER;
		past += is_past(&events[i], i, half);
		cleared += !(events[i].status_after_clear & PM1_TIMER);
		late[i] = events[i].ticks & (boundary_distance(pmtimer_mask()) - 1);
	}
	pair_samples("pmtimer.overflow.late", "ticks", late, event_count, sizeof(*late));
	judge_count(names[0], "SCIs", event_count, wanted);
	judge_count(names[1], "SCIs with TMR_STS set", set, wanted);
	judge_count(names[2], "SCIs past the change", past, wanted);
	ktap_note("SCIs once more, as this host ends an interrupt before its handler runs: %u",
		  repeats);
	ktap_note("set again without a change: measured %d, bound 0", set_again);
	judge_count(names[3], "SCIs after which TMR_STS was clear", cleared, wanted + set_again);
}

static void run(unsigned wanted)
{
	bool half;

	event_count = 0;
	repeats = 0;
	may_repeat = false;
	half = boundary_clear_status();
	pm1_enable(PM1_TIMER);
	for (unsigned i = 1; i <= wanted; i++)
		wait_events(i);
	clock_sleep_until(clock_now_ns() + QUIET_NS);
	pm1_enable(0);
	judge(wanted, half, pm1_status() & PM1_TIMER);
}

void pmtimer_overflow(const struct pmtimer_keys *keys)
{
	uint16_t enabled = pm1_enabled();

	if (!boundary_is_near(keys->boundaries, names, NAME_COUNT))
		return;
	pm1_enable(0);
	if (pm1_sci_attach(take_sci, NULL) != 0) {
		for (unsigned i = 0; i < NAME_COUNT; i++)
			ktap_skip(names[i], "no SCI, or no I/O APIC to bring it");
	} else {
		run((unsigned)keys->boundaries);
		pm1_sci_detach();
	}
	pm1_enable(enabled);
}
