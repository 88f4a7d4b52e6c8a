/*
 * rtcstorm: all CPUs read the RTC's data port flat out, its index at the seconds, while its
 * periodic interrupt runs (thread 003: a stressful case, not an idle guest).
 *
 *   rtcstorm.alone   n readings of CPU 0
 *   rtcstorm.crowd   n readings of each CPU
 *
 * No lock of the guest's is round them: it would be what is measured. So the handler's turn
 * of the index to register C and back is seen by the readers, one of whom may take the flags
 * in its place: the line falls just as well, and the next tick comes.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "cpus.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "kernel/smp.h"

#define RATE 10 /* RS: 64 Hz */

const struct app_key rtcstorm_keys[] = {
	{"n", "readings of each CPU, 16 to 100000000 (4096)"},
	{NULL, NULL},
};

static volatile uint32_t ticks;
static uint64_t readings;
static unsigned arrived;

static void on_tick(void *argument)
{
	rtc_register(RTC_C);
	out8(RTC_INDEX_PORT, RTC_SECONDS);
	ticks++;
}

static void read_flat_out(void)
{
	for (uint64_t i = 0; i < readings; i++)
		in8(RTC_DATA_PORT);
}

static void read_together(void *argument)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < smp_online())
		cpu_pause();
	read_flat_out();
}

int rtcstorm_main(void)
{
	uint32_t before;

	readings = app_number("n", 4096, 16, 100000000);
	if (!rtc_present() || rtc_irq_attach(on_tick, NULL) != 0)
		app_exit(TK_EXIT_SKIPPED,
			 "rtcstorm: no RTC, or no I/O APIC to bring its interrupt");
	ktap_begin(1);
	smp_start();
	rtc_set_rate(RATE);
	rtc_enable(RTC_PF);
	rtc_register(RTC_SECONDS);
	irq_enable();
	pair_phase_begin("rtcstorm.alone");
	read_flat_out();
	pair_phase_end("rtcstorm.alone", readings);
	pair_phase_begin("rtcstorm.crowd");
	cpus_at_once(read_together, NULL);
	pair_phase_end("rtcstorm.crowd", readings * smp_online());
	irq_disable();
	ktap_note("rtcstorm: %u CPUs, %" PRIu64 " readings each", smp_online(), readings);
	before = ticks;
	clock_sleep_until(clock_now_ns() + 100000000);
	check_at_least("rtcstorm: ticks go on", ticks - before, 1);
	rtc_irq_detach();
	return ktap_end();
}
