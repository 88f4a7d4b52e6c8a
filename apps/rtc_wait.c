/*
 * rtc: the interrupt handler that its tests share, and waiting for what it sees.
 */
#include <stddef.h>

#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define NS_PER_S UINT64_C(1000000000)

volatile uint32_t rtc_irqs, rtc_ticks_seen, rtc_empty_irqs;
volatile uint8_t rtc_flags_seen;

static void on_irq(void *argument)
{
	uint8_t flags = rtc_register(RTC_C);

	rtc_irqs++;
	rtc_ticks_seen += (flags & RTC_PF) != 0;
	rtc_empty_irqs += !(flags & RTC_C_IRQF);
	rtc_flags_seen |= flags;
}

bool rtc_irq_begin(const char *const *names, unsigned count)
{
	rtc_irqs = rtc_ticks_seen = rtc_empty_irqs = 0;
	rtc_flags_seen = 0;
	if (rtc_irq_attach(on_irq, NULL) == 0)
		return true;
	for (unsigned i = 0; i < count; i++)
		ktap_skip(names[i], "no I/O APIC to bring IRQ 8");
	return false;
}

void rtc_irq_end(void)
{
	rtc_irq_detach();
}

bool rtc_wait(uint8_t flags, unsigned patience_s)
{
	uint64_t deadline = clock_now_ns() + patience_s * NS_PER_S;
	bool irqs_on = irq_save(), seen;

	while (!(rtc_flags_seen & flags) && clock_doze_until(deadline))
		;
	seen = rtc_flags_seen & flags;
	rtc_flags_seen &= (uint8_t)~flags;
	irq_restore(irqs_on);
	return seen;
}

uint64_t rtc_test_ns(void)
{
	return pair_present() ? pair_host_ns() : clock_now_ns();
}
