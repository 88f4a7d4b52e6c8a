/*
 * pmtimer, test order (BC-03): two CPUs read in turns, each after it has seen the other's
 * turn end, while the overflow timer runs and PM1_STS is read as well. Readers or the
 * overflow's update that share state without protection show as a step back.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>

#include "drivers/pm1.h"
#include "drivers/pmtimer.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"

#define STATUS_EVERY 16 /* turns after which the second CPU reads PM1_STS */

/* ACPI 6.5 § 4.8.3.1.1: what PM1_STS may show; bits 4 and 14, 15 are the bus's and the wake-up's.
 */
#define STATUS_KNOWN                                                                             \
	(PM1_TIMER | 1u << 4 | PM1_GLOBAL_LOCK | PM1_POWER_BUTTON | PM1_SLEEP_BUTTON | PM1_RTC | \
	 1u << 14 | 1u << 15)

/* Whoever has the turn owns last, steps_back and largest_step; `turn` hands them over. */
static struct {
	uint64_t turns;
	uint64_t turn;
	uint32_t last;
	uint64_t steps_back;
	uint32_t largest_step;
} hand;

static bool polling;
static uint64_t status_reads, status_odd; /* relaxed sums of all CPUs */

static void read_status(void)
{
	uint16_t status = pm1_status();

	__atomic_fetch_add(&status_reads, 1, __ATOMIC_RELAXED);
	if (status & ~STATUS_KNOWN)
		__atomic_fetch_add(&status_odd, 1, __ATOMIC_RELAXED);
}

static void take_turn(void)
{
	uint32_t now = pmtimer_ticks(), back = (hand.last - now) & pmtimer_mask();

	/* In the lower half of the circle `now` is before `last`. */
	if (back && back <= pmtimer_mask() / 2) {
		hand.steps_back++;
		if (back > hand.largest_step)
			hand.largest_step = back;
	}
	hand.last = now;
}

static void read_in_turns(unsigned mine)
{
	for (uint64_t i = mine; i < hand.turns; i += 2) {
		while (__atomic_load_n(&hand.turn, __ATOMIC_ACQUIRE) != i)
			cpu_pause();
		take_turn();
		__atomic_store_n(&hand.turn, i + 1, __ATOMIC_RELEASE);
		if (mine == 1 && i % STATUS_EVERY == 1)
			read_status();
	}
}

static void read_second(void *argument)
{
	read_in_turns(1);
}

/* A third CPU does nothing else. */
static void poll_status(void *argument)
{
	while (__atomic_load_n(&polling, __ATOMIC_ACQUIRE))
		read_status();
}

static void clear_timer(void *argument)
{
	pm1_clear(PM1_TIMER);
}

static void run_turns(void)
{
	bool third = smp_online() > 2;

	polling = true;
	if (third)
		cpu_call(2, poll_status, NULL);
	irq_enable();
	if (cpu_call(1, read_second, NULL) == 0)
		read_in_turns(0);
	cpu_wait(1);
	irq_disable();
	__atomic_store_n(&polling, false, __ATOMIC_RELEASE);
	if (third)
		cpu_wait(2);
}

static void judge(bool overflow_runs)
{
	ktap_note("order: %" PRIu64 " hand-offs, %" PRIu64 " reads of PM1_STS, overflow timer %s: "
		  "steps back: measured %" PRIu64 ", bound 0; the largest %" PRIu32 " ticks",
		  hand.turns, status_reads, overflow_runs ? "on" : "off", hand.steps_back,
		  hand.largest_step);
	ktap_result(hand.turn == hand.turns && hand.steps_back == 0,
		    "order: a later read is never earlier");
	if (!pm1_present()) {
		ktap_skip("order: PM1_STS shows known bits only", "no PM1 event block");
		return;
	}
	ktap_note("order: reads of PM1_STS with unknown bits: measured %" PRIu64
		  ", bound 0 of %" PRIu64,
		  status_odd, status_reads);
	ktap_result(status_odd == 0 && status_reads > 0, "order: PM1_STS shows known bits only");
}

void pmtimer_order(const struct pmtimer_keys *keys)
{
	uint16_t enabled = pm1_enabled();
	bool overflow_runs;

	if (smp_online() < 2) {
		ktap_skip("order: a later read is never earlier", "one CPU");
		ktap_skip("order: PM1_STS shows known bits only", "one CPU");
		return;
	}
	overflow_runs = pm1_sci_attach(clear_timer, NULL) == 0;
	if (overflow_runs)
		pm1_enable(PM1_TIMER);
	hand.turns = keys->n;
	hand.last = pmtimer_ticks();
	run_turns();
	pm1_enable(enabled);
	if (overflow_runs)
		pm1_sci_detach();
	judge(overflow_runs);
}
