/*
 * 82093AA I/O APIC (82093AA data sheet § 3).
 *
 * One chip: the one that the ISA interrupts come in at. Its registers are behind
 * an index and a data window, so every access is a pair under the lock.
 */
#include "drivers/ioapic.h"

#include "drivers/acpi.h"
#include "drivers/table.h"
#include "kernel/io.h"
#include "kernel/lock.h"

#define INDEX  0x00
#define WINDOW 0x10

#define VERSION		    0x01
#define VERSION_LAST(v)	    ((v) >> 16 & 0xff) /* number of the last redirection entry */
#define REDIRECTION_LOW(n)  (0x10 + 2 * (n))
#define REDIRECTION_HIGH(n) (0x11 + 2 * (n))

/* Redirection entry: delivery mode fixed, destination mode physical are 0. */
#define ENTRY_ACTIVE_LOW	(1u << 13)
#define ENTRY_LEVEL		(1u << 15)
#define ENTRY_MASKED		(1u << 16)
#define ENTRY_DESTINATION_SHIFT 24

static uint64_t base;	 /* 0: no chip */
static unsigned entries; /* of the redirection table */
static unsigned gsi_base;
static struct spin_lock lock;

static uint32_t ioapic_read(unsigned index)
{
	mmio_write32(base + INDEX, index);
	return mmio_read32(base + WINDOW);
}

static void ioapic_write(unsigned index, uint32_t value)
{
	mmio_write32(base + INDEX, index);
	mmio_write32(base + WINDOW, value);
}

static int entry_of(unsigned gsi)
{
	if (!base || gsi < gsi_base || gsi - gsi_base >= entries)
		return -1;
	return gsi - gsi_base;
}

int ioapic_route(unsigned gsi, uint8_t vector, uint32_t apic_id)
{
	struct acpi_trigger trigger = acpi_gsi_trigger(gsi);
	uint32_t low = vector | ENTRY_MASKED;
	int entry = entry_of(gsi);
	bool irqs_on;

	if (entry < 0)
		return -1;
	if (trigger.level)
		low |= ENTRY_LEVEL;
	if (trigger.active_low)
		low |= ENTRY_ACTIVE_LOW;
	irqs_on = spin_lock(&lock);
	ioapic_write(REDIRECTION_LOW(entry), low);
	ioapic_write(REDIRECTION_HIGH(entry), apic_id << ENTRY_DESTINATION_SHIFT);
	spin_unlock(&lock, irqs_on);
	return 0;
}

int ioapic_move(unsigned gsi, uint32_t apic_id)
{
	int entry = entry_of(gsi);
	bool irqs_on;

	if (entry < 0)
		return -1;
	irqs_on = spin_lock(&lock);
	ioapic_write(REDIRECTION_HIGH(entry), apic_id << ENTRY_DESTINATION_SHIFT);
	spin_unlock(&lock, irqs_on);
	return 0;
}

static int set_mask(unsigned gsi, uint32_t mask)
{
	int entry = entry_of(gsi);
	bool irqs_on;

	if (entry < 0)
		return -1;
	irqs_on = spin_lock(&lock);
	ioapic_write(REDIRECTION_LOW(entry),
		     (ioapic_read(REDIRECTION_LOW(entry)) & ~ENTRY_MASKED) | mask);
	spin_unlock(&lock, irqs_on);
	return 0;
}

int ioapic_mask(unsigned gsi)
{
	return set_mask(gsi, ENTRY_MASKED);
}

int ioapic_unmask(unsigned gsi)
{
	return set_mask(gsi, 0);
}

/* Firmware may have routed what nobody here has attached: all is masked. */
void ioapic_probe(void)
{
	uint32_t version;

	base = acpi_info()->ioapic_address;
	if (!base)
		return;
	version = ioapic_read(VERSION);
	if (version == UINT32_MAX) {
		base = 0;
		return;
	}
	gsi_base = acpi_info()->ioapic_gsi_base;
	entries = VERSION_LAST(version) + 1;
	for (unsigned n = 0; n < entries; n++)
		if (!(ioapic_read(REDIRECTION_LOW(n)) & ENTRY_MASKED))
			ioapic_write(REDIRECTION_LOW(n), ENTRY_MASKED);
}
