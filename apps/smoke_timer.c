/*
 * smoke: the local APIC's timer in each of its modes, and sleeping: an interrupt
 * comes, comes as often as it should, and never early.
 */
#define _POSIX_TIMERS 1 /* as in smoke_clock.c, for nanosleep() */
#include "smoke.h"

#include <stddef.h>
#include <time.h>

#include "drivers/lapic.h"
#include "drivers/tsc.h"
#include "kernel/io.h"
#include "kernel/irq.h"

#define VECTOR	 (IRQ_VECTOR_APP + 1)
#define DELAY_US 500
#define PERIODS	 3
#define SLEEP_NS 1000000
#define US_PER_S 1000000
#define NS_PER_S 1000000000

static void come(void *argument)
{
}

/* Halts until the vector has come `wanted` times more. */
static void wait_for(uint64_t wanted)
{
	uint64_t until = irq_count(VECTOR) + wanted;

	while (irq_count(VECTOR) < until)
		cpu_halt();
}

static uint32_t delay_count(void)
{
	return (uint32_t)((uint64_t)lapic_timer_khz() * DELAY_US / 1000);
}

/* At least 99 % of the delay by the TSC: the two are calibrated against one another. */
static enum verdict not_early(uint64_t start_tsc, uint64_t delays)
{
	uint64_t measured = rdtsc_ordered() - start_tsc;
	uint64_t bound = delays * DELAY_US * tsc_hz() / US_PER_S / 100 * 99;

	EXPECT(measured >= bound, "measured %lu TSC ticks, bound at least %lu", measured, bound);
	return PASS;
}

static enum verdict one_shot(void)
{
	uint64_t start;

	irq_attach(VECTOR, come, NULL);
	start = rdtsc_ordered();
	lapic_timer_one_shot(delay_count(), 0, VECTOR);
	wait_for(1);
	return not_early(start, 1);
}

static enum verdict periodic(void)
{
	uint64_t start;

	start = rdtsc_ordered();
	lapic_timer_periodic(delay_count(), 0, VECTOR);
	wait_for(PERIODS);
	lapic_timer_stop();
	return not_early(start, PERIODS);
}

/* Not even by a tick: the deadline is in the TSC's own terms. */
static enum verdict deadline(void)
{
	uint64_t bound = rdtsc_ordered() + DELAY_US * tsc_hz() / US_PER_S, now;

	if (!lapic_has_deadline())
		return skipped("no TSC-deadline mode");
	if (!tsc_hz())
		return skipped("nothing tells the TSC's frequency");
	lapic_timer_deadline(bound, VECTOR);
	wait_for(1);
	now = rdtsc_ordered();
	EXPECT(now >= bound, "came at TSC %lu, bound at least %lu", now, bound);
	return PASS;
}

/* Each HLT ends with its own interrupt, and with none before. */
static enum verdict halt(void)
{
	uint64_t before = irq_count(VECTOR);

	for (unsigned i = 1; i <= PERIODS; i++) {
		lapic_timer_one_shot(delay_count(), 0, VECTOR);
		cpu_halt();
		EXPECT(irq_count(VECTOR) - before == i,
		       "halts: %u, interrupts: measured %lu, bound %u", i,
		       irq_count(VECTOR) - before, i);
	}
	return PASS;
}

static enum verdict sleep(void)
{
	struct timespec t = {.tv_nsec = SLEEP_NS};
	uint64_t start = rdtsc_ordered(), measured, bound;

	EXPECT(nanosleep(&t, NULL) == 0, "nanosleep failed");
	measured = rdtsc_ordered() - start;
	bound = SLEEP_NS * (tsc_hz() / 100 * 99) / NS_PER_S;
	EXPECT(measured >= bound, "slept %lu TSC ticks, bound at least %lu", measured, bound);
	return PASS;
}

const struct smoke_check smoke_timer_checks[] = {
	{"LAPIC timer: one-shot is not early", one_shot},
	{"LAPIC timer: periodic is not early", periodic},
	{"LAPIC timer: TSC deadline is not early", deadline},
	{"HLT ends with its interrupt and not before", halt},
	{"nanosleep is not early", sleep},
	{NULL, NULL},
};
