/*
 * smoke: the ways of an interrupt to a CPU: from itself, from another CPU, and from
 * an ISA device through the I/O APIC.
 */
#include "smoke.h"

#include <stddef.h>

#include "drivers/acpi.h"
#include "drivers/ioapic.h"
#include "drivers/lapic.h"
#include "drivers/pit.h"
#include "drivers/uart.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/smp.h"

#define VECTOR	     (IRQ_VECTOR_APP + 2)
#define PIT_TICKS    600 /* half a millisecond */
#define GIVE_UP_MS   2000
#define DIVIDE_SHIFT 4 /* GIVE_UP_MS fits in 32 bits whatever the timer's clock */

static unsigned taken;

static void take(void *argument)
{
	__atomic_fetch_add(&taken, 1, __ATOMIC_RELEASE);
}

/* An interrupt that does not come is a failure, not a hang: the LAPIC timer ends the wait. */
static bool wait_taken(void)
{
	uint64_t late = irq_count(IRQ_VECTOR_TIMER);

	lapic_timer_one_shot((uint32_t)((uint64_t)lapic_timer_khz() * GIVE_UP_MS >> DIVIDE_SHIFT),
			     DIVIDE_SHIFT, IRQ_VECTOR_TIMER);
	while (!__atomic_load_n(&taken, __ATOMIC_ACQUIRE) && irq_count(IRQ_VECTOR_TIMER) == late)
		cpu_halt();
	lapic_timer_stop();
	return taken && irq_count(IRQ_VECTOR_TIMER) == late;
}

static enum verdict to_self(void)
{
	irq_attach(VECTOR, take, NULL);
	taken = 0;
	irq_chip()->ipi(irq_chip()->apic_id(), VECTOR);
	EXPECT(taken == 0, "taken with interrupts off");
	cpu_halt();
	EXPECT(taken == 1, "taken: measured %u, bound 1", taken);
	return PASS;
}

/* On CPU 1, which is idle; wakes CPU 0 from its wait. */
static void take_and_tell(void *argument)
{
	take(NULL);
	irq_chip()->ipi(cpu_apic_id(0), IRQ_VECTOR_WAKE);
}

static enum verdict to_another(void)
{
	if (smp_online() < 2)
		return skipped("one CPU");
	irq_attach(VECTOR, take_and_tell, NULL);
	taken = 0;
	irq_chip()->ipi(cpu_apic_id(1), VECTOR);
	EXPECT(wait_taken(), "not taken by CPU 1, or CPU 0 not told, in %u ms", GIVE_UP_MS);
	return PASS;
}

/* Lets an ISA interrupt through to this CPU. -1: there is no way. */
static int open_isa(unsigned irq)
{
	unsigned gsi = acpi_isa_gsi(irq);

	taken = 0;
	irq_attach(IRQ_VECTOR_GSI + gsi, take, NULL);
	if (ioapic_route(gsi, IRQ_VECTOR_GSI + gsi, irq_chip()->apic_id()) < 0)
		return -1;
	return ioapic_unmask(gsi);
}

static enum verdict pit(void)
{
	bool came;

	if (!pit_present())
		return skipped("no PIT");
	if (open_isa(PIT_ISA_IRQ) < 0)
		return skipped("no I/O APIC");
	pit_one_shot(PIT_TICKS);
	came = wait_taken();
	pit_stop();
	ioapic_mask(acpi_isa_gsi(PIT_ISA_IRQ));
	EXPECT(came, "no interrupt in %u ms", GIVE_UP_MS);
	return PASS;
}

/* An empty transmitter interrupts as soon as it may. */
static enum verdict uart(void)
{
	uint8_t cause;
	bool came;

	if (!uart_present())
		return skipped("no UART");
	if (open_isa(UART_ISA_IRQ) < 0)
		return skipped("no I/O APIC");
	uart_set_causes(UART_CAUSE_TRANSMIT);
	came = wait_taken();
	cause = uart_pending_cause();
	uart_set_causes(0);
	ioapic_mask(acpi_isa_gsi(UART_ISA_IRQ));
	EXPECT(came, "no interrupt in %u ms", GIVE_UP_MS);
	EXPECT(cause == UART_CAUSE_TRANSMIT, "pending cause %#x, bound %#x", cause,
	       UART_CAUSE_TRANSMIT);
	return PASS;
}

const struct smoke_check smoke_interrupt_checks[] = {
	{"interrupt to this CPU waits for STI", to_self},
	{"interrupt to another CPU", to_another},
	{"PIT interrupts through the I/O APIC", pit},
	{"UART interrupts through the I/O APIC", uart},
	{NULL, NULL},
};
