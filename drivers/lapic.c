/*
 * Local APIC, as xAPIC and as x2APIC (SDM vol. 3A ch. 11, "Advanced Programmable
 * Interrupt Controller"). Its timer is in lapic_timer.c.
 *
 * x2APIC is used where the CPU has it. `apic=xapic` on the command line stays
 * with the memory-mapped kind, `apic=x2apic` insists on the other.
 */
#include "drivers/lapic.h"

#include <string.h>

#include "drivers/lapic_regs.h"
#include "drivers/table.h"
#include "kernel/app.h"
#include "kernel/io.h"
#include "kernel/irq.h"

#define FEATURES_LEAF	1
#define FEATURES_X2APIC (1u << 21) /* ECX */
#define FEATURES_APIC	(1u << 9)  /* EDX */

#define MSR_APIC_BASE 0x1b
#define BASE_X2APIC   (1u << 10)
#define BASE_ENABLE   (1u << 11)
#define BASE_ADDRESS  0xffffff000

#define SVR_ENABLE 0x100

/* Interrupt command register. */
#define ICR_INIT    0x0500
#define ICR_STARTUP 0x0600
#define ICR_PENDING 0x1000 /* xAPIC only: not yet accepted */
#define ICR_ASSERT  0x4000
#define ICR_LEVEL   0x8000

struct lapic lapic;

static void xapic_eoi(void)
{
	mmio_write32(lapic.base + (LAPIC_EOI << 4), 0);
}

static void x2apic_eoi(void)
{
	wrmsr(LAPIC_MSR + LAPIC_EOI, 0);
}

/* Two registers make one command: no interrupt handler of this CPU may send in between. */
static void xapic_command(uint32_t apic_id, uint32_t command)
{
	bool irqs_on = irq_save();

	while (lapic_read(LAPIC_ICR_LOW) & ICR_PENDING)
		cpu_pause();
	lapic_write(LAPIC_ICR_HIGH, apic_id << 24);
	lapic_write(LAPIC_ICR_LOW, command);
	irq_restore(irqs_on);
}

/* WRMSR to these registers does not wait for earlier stores (SDM vol. 3A § 11.12.3). */
static void x2apic_command(uint32_t apic_id, uint32_t command)
{
	memory_fence();
	wrmsr(LAPIC_MSR + LAPIC_ICR_LOW, (uint64_t)apic_id << 32 | command);
}

static void command(uint32_t apic_id, uint32_t value)
{
	if (lapic.x2apic)
		x2apic_command(apic_id, value);
	else
		xapic_command(apic_id, value);
}

static void send_ipi(uint32_t apic_id, uint8_t vector)
{
	command(apic_id, ICR_ASSERT | vector);
}

/* Level-triggered: asserted, then released (MP specification 1.4 § B.4). */
static void send_init(uint32_t apic_id)
{
	command(apic_id, ICR_INIT | ICR_LEVEL | ICR_ASSERT);
	command(apic_id, ICR_INIT | ICR_LEVEL);
}

static void send_startup(uint32_t apic_id, uint8_t page)
{
	command(apic_id, ICR_STARTUP | ICR_ASSERT | page);
}

static uint32_t apic_id(void)
{
	uint32_t id = lapic_read(LAPIC_ID);

	return lapic.x2apic ? id : id >> 24;
}

/* Out of x2APIC only through "off", into it only from "on" (SDM vol. 3A § 11.12.5). */
static void set_mode(void)
{
	uint64_t base = rdmsr(MSR_APIC_BASE);
	uint64_t off = base & ~(uint64_t)(BASE_ENABLE | BASE_X2APIC);

	if (!lapic.x2apic && base & BASE_X2APIC)
		wrmsr(MSR_APIC_BASE, off);
	if (!(base & BASE_ENABLE) || (!lapic.x2apic && base & BASE_X2APIC))
		wrmsr(MSR_APIC_BASE, off | BASE_ENABLE);
	if (lapic.x2apic && !(base & BASE_X2APIC))
		wrmsr(MSR_APIC_BASE, off | BASE_ENABLE | BASE_X2APIC);
}

/* The thermal and performance interrupts are left to firmware, which may use them. */
static void start_cpu(void)
{
	set_mode();
	lapic_write(LAPIC_SVR, SVR_ENABLE | IRQ_VECTOR_SPURIOUS);
	lapic_write(LAPIC_TPR, 0);
	lapic_write(LAPIC_LVT_LINT0, LVT_MASKED);
	lapic_write(LAPIC_LVT_LINT1, LVT_MASKED);
	lapic_write(LAPIC_LVT_ERROR, LVT_MASKED);
	lapic_timer_start_cpu();
}

static const struct irq_chip xapic_chip = {
	.name = "xapic",
	.start_cpu = start_cpu,
	.eoi = xapic_eoi,
	.ipi = send_ipi,
	.init = send_init,
	.startup = send_startup,
	.apic_id = apic_id,
};

static const struct irq_chip x2apic_chip = {
	.name = "x2apic",
	.start_cpu = start_cpu,
	.eoi = x2apic_eoi,
	.ipi = send_ipi,
	.init = send_init,
	.startup = send_startup,
	.apic_id = apic_id,
};

bool lapic_present(void)
{
	return lapic.base != 0;
}

bool lapic_is_x2apic(void)
{
	return lapic.x2apic;
}

bool lapic_in_service(uint8_t vector)
{
	return lapic_read(LAPIC_ISR + vector / 32) >> vector % 32 & 1;
}

static bool choose_x2apic(bool has_x2apic)
{
	const char *choice = app_option("apic");

	if (!choice)
		return has_x2apic;
	if (strcmp(choice, "xapic") == 0)
		return false;
	if (strcmp(choice, "x2apic") != 0)
		app_exit(TK_EXIT_USAGE, "apic=%s: not xapic or x2apic", choice);
	if (!has_x2apic)
		app_exit(TK_EXIT_SKIPPED, "apic=x2apic: this CPU has none");
	return true;
}

void lapic_probe(void)
{
	struct cpuid features = cpuid(FEATURES_LEAF, 0);

	if (!(features.edx & FEATURES_APIC))
		return;
	lapic.base = rdmsr(MSR_APIC_BASE) & BASE_ADDRESS;
	lapic.x2apic = choose_x2apic(features.ecx & FEATURES_X2APIC);
	lapic_timer_probe(features.ecx);
	irq_chip_register(lapic.x2apic ? &x2apic_chip : &xapic_chip);
	start_cpu(); /* the boot CPU: the kernel calls it for the others */
}
