/*
 * pmtimer, test silent (BC-04): with TMR_EN clear, TMR_STS is set exactly when the
 * counter's top bit changes, which polling shows to within two reads of the counter; no
 * SCI comes; and a cleared bit stays clear.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>

#include "drivers/pm1.h"
#include "drivers/pmtimer.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "pmtimer_boundary.h"

#define AHEAD_NS    50000000 /* polling begins so long before the change, if there is time */
#define POLLS_AFTER 64
#define POLLS_CLEAR 64

static const char *const names[] = {
	"silent: TMR_STS is never set before the change of the top bit",
	"silent: TMR_STS is always set after it",
	"silent: TMR_STS is cleared by a 1, and stays clear",
	"silent: no SCI with TMR_EN clear",
};
#define NAME_COUNT (sizeof(names) / sizeof(*names))

struct polls {
	uint64_t before, early;	 /* surely before the change; of these with the bit set */
	uint64_t after, missing; /* surely after it; of these without */
};

/* The status between two readings of the counter: before or after only if both are. */
static void poll(struct polls *polls, bool half)
{
	bool was_before = boundary_half(pmtimer_ticks()) == half;
	bool set = pm1_status() & PM1_TIMER;
	bool is_before = boundary_half(pmtimer_ticks()) == half;

	if (was_before && is_before) {
		polls->before++;
		polls->early += set;
	} else if (!was_before) {
		polls->after++;
		polls->missing += !set;
	}
}

static void sleep_to_boundary(void)
{
	uint64_t left_ns = boundary_ns(boundary_ticks_left());

	if (left_ns > AHEAD_NS)
		clock_sleep_until(clock_now_ns() + left_ns - AHEAD_NS);
}

static unsigned set_when_cleared(void)
{
	unsigned set = 0;

	boundary_clear_status();
	for (unsigned i = 0; i < POLLS_CLEAR; i++)
		set += pm1_status() & PM1_TIMER;
	return set;
}

static void come(void *argument)
{
	pm1_enable(0);
	pm1_clear(PM1_TIMER);
}

static void judge(unsigned name, const char *what, uint64_t bad, uint64_t of)
{
	if (!of) {
		ktap_skip(names[name], "the host stalled until after the change");
		return;
	}
	ktap_note("silent: %s: measured %" PRIu64 ", bound 0 of %" PRIu64, what, bad, of);
	ktap_result(bad == 0, "%s", names[name]);
}

static void run(bool sci)
{
	uint64_t scis = sci ? pm1_sci_count() : 0;
	struct polls polls = {0};
	unsigned set;
	bool half;

	half = boundary_clear_status();
	sleep_to_boundary();
	while (polls.after < POLLS_AFTER)
		poll(&polls, half);
	set = set_when_cleared();
	judge(0, "polls before it with TMR_STS set", polls.early, polls.before);
	judge(1, "polls after it without", polls.missing, polls.after);
	judge(2, "polls with a cleared TMR_STS set", set, POLLS_CLEAR);
	if (!sci) {
		ktap_skip(names[3], "no SCI, or no I/O APIC to bring it");
		return;
	}
	scis = pm1_sci_count() - scis;
	ktap_note("silent: SCIs: measured %" PRIu64 ", bound 0", scis);
	ktap_result(scis == 0, "%s", names[3]);
}

void pmtimer_silent(const struct pmtimer_keys *keys)
{
	uint16_t enabled = pm1_enabled();
	bool sci;

	if (!boundary_is_near(1, names, NAME_COUNT))
		return;
	pm1_enable(0);
	pm1_clear(PM1_TIMER);
	sci = pm1_sci_attach(come, NULL) == 0;
	irq_enable();
	run(sci);
	irq_disable();
	if (sci)
		pm1_sci_detach();
	pm1_enable(enabled);
}
