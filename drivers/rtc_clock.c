/*
 * The RTC as a clock source: periodic interrupts counted, as guests without a better
 * clock do, and what the TSC says of the time since the last one.
 *
 * A tick that comes while the last one is not yet acknowledged is lost, on the chip as
 * here: a CPU that keeps interrupts off for longer makes this clock lose time, unless the
 * host delivers such ticks later. Between two ticks it never goes further than the next.
 */
#include "drivers/rtc_clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/lock.h"

#define RATING	       50
#define RATE	       6  /* RS: 1024 Hz */
#define PARTS_LOG2     10 /* of a tick */
#define PARTS	       (1u << PARTS_LOG2)
#define NS_PER_TICK    976563 /* when a tick is seen, it may be as good as over */
#define MEASURED_TICKS 8
#define POLLS_MAX      1000000 /* for a tick that never comes */

/* Guarded by the lock: the handler and readers on all CPUs move it on. */
static struct {
	uint64_t ticks;
	uint64_t tsc; /* when the last was seen */
	uint64_t period_tsc;
} clock;
static struct spin_lock lock;

/* Reading register C says whether there was one, and makes way for the next. */
static void take_tick(void)
{
	uint64_t now = rdtsc_ordered();

	if (!(rtc_register(RTC_C) & RTC_PF))
		return;
	clock.ticks++;
	clock.tsc = now;
}

static void on_tick(void *argument)
{
	bool irqs_on = spin_lock(&lock);

	take_tick();
	spin_unlock(&lock, irqs_on);
}

/* The register is looked at here, too, for a reader that keeps interrupts off. */
static uint64_t read_counter(void)
{
	bool irqs_on = spin_lock(&lock);
	uint64_t since, parts;

	take_tick();
	since = rdtsc_ordered() - clock.tsc;
	parts = since < clock.period_tsc ? since * PARTS / clock.period_tsc : PARTS - 1;
	parts += clock.ticks << PARTS_LOG2;
	spin_unlock(&lock, irqs_on);
	return parts;
}

static bool wait_tick(void)
{
	for (unsigned i = 0; i < POLLS_MAX; i++) {
		if (rtc_register(RTC_C) & RTC_PF)
			return true;
	}
	return false;
}

/* TSC ticks of a period; 0: none came. */
static uint64_t measure_period(void)
{
	uint64_t start;

	rtc_set_rate(RATE);
	if (!wait_tick() || !wait_tick()) /* the first may be a short one */
		return 0;
	start = rdtsc_ordered();
	for (unsigned i = 0; i < MEASURED_TICKS; i++) {
		if (!wait_tick())
			return 0;
	}
	return (rdtsc_ordered() - start) / MEASURED_TICKS;
}

static uint64_t frequency(void)
{
	bool irqs_on = irq_save();

	/* There are chips whose PF sets only while it is enabled (QEMU's): its input is masked yet.
	 */
	rtc_enable(RTC_PF);
	clock.period_tsc = measure_period();
	if (!clock.period_tsc || rtc_irq_attach(on_tick, NULL) != 0) {
		rtc_enable(0);
		irq_restore(irqs_on);
		return 0;
	}
	clock.tsc = rdtsc_ordered();
	rtc_enable(RTC_PF);
	irq_restore(irqs_on);
	return (uint64_t)rtc_rate_hz(RATE) * PARTS;
}

static const struct clock_source rtc_clock = {
	.name = "rtc",
	.rating = RATING,
	.width = 64,
	.error_ns = NS_PER_TICK,
	.read = read_counter,
	.frequency = frequency,
};

void rtc_clock_register(void)
{
	clock_register(&rtc_clock);
}
