/*
 * The MADT: which CPUs there are, and how interrupts reach them (ACPI 6.5 § 5.2.12).
 *
 * The local APIC's address is not taken from here: IA32_APIC_BASE of each CPU
 * knows it better.
 */
#include "drivers/madt.h"

#include "kernel/smp.h"

struct madt {
	struct acpi_header header;
	uint32_t lapic_address;
	uint32_t flags;
} __attribute__((packed));
#define MADT_PCAT_COMPAT 1 /* a pair of 8259A is there too */

enum entry_type {
	LAPIC = 0,
	IOAPIC = 1,
	OVERRIDE = 2,
	X2APIC = 9,
};

struct entry {
	uint8_t type;
	uint8_t length;
	union {
		struct {
			uint8_t uid;
			uint8_t apic_id;
			uint32_t flags;
		} __attribute__((packed)) lapic;
		struct {
			uint8_t id;
			uint8_t reserved;
			uint32_t address;
			uint32_t gsi_base;
		} __attribute__((packed)) ioapic;
		struct {
			uint8_t bus;
			uint8_t isa_irq;
			uint32_t gsi;
			uint16_t flags;
		} __attribute__((packed)) override;
		struct {
			uint16_t reserved;
			uint32_t apic_id;
			uint32_t flags;
			uint32_t uid;
		} __attribute__((packed)) x2apic;
	};
} __attribute__((packed));

#define ENTRY_HEADER	2
#define ENTRY_HAS(e, m) ((e)->length >= ENTRY_HEADER + sizeof((e)->m))

/* "Online capable" is another bit: such a CPU is not there until it is plugged in. */
#define CPU_ENABLED 1

/* An x2APIC entry of an ID that fits a local APIC entry repeats one (§ 5.2.12.12). */
#define XAPIC_ID_END 0xff
static bool lapic_entries;

#define ISA_IRQS 16

#define INTI_POLARITY	0x3
#define INTI_ACTIVE_LOW 0x3
#define INTI_TRIGGER	0xc
#define INTI_LEVEL	0xc

static void add_override(struct acpi_info *info, const struct entry *entry)
{
	if (info->override_count == ACPI_OVERRIDES_MAX)
		return;
	info->overrides[info->override_count++] = (struct acpi_override){
		.isa_irq = entry->override.isa_irq,
		.gsi = entry->override.gsi,
		.flags = entry->override.flags,
	};
}

/* The first I/O APIC, or the one of GSI 0: the ISA interrupts come in there. */
static void add_ioapic(struct acpi_info *info, const struct entry *entry)
{
	if (info->ioapic_address && entry->ioapic.gsi_base != 0)
		return;
	info->ioapic_address = entry->ioapic.address;
	info->ioapic_gsi_base = entry->ioapic.gsi_base;
}

static void read_entry(struct acpi_info *info, const struct entry *entry)
{
	switch (entry->type) {
	case LAPIC:
		if (ENTRY_HAS(entry, lapic) && entry->lapic.flags & CPU_ENABLED) {
			lapic_entries = true;
			smp_add_cpu(entry->lapic.apic_id);
		}
		break;
	case X2APIC:
		if (ENTRY_HAS(entry, x2apic) && entry->x2apic.flags & CPU_ENABLED &&
		    (entry->x2apic.apic_id >= XAPIC_ID_END || !lapic_entries))
			smp_add_cpu(entry->x2apic.apic_id);
		break;
	case IOAPIC:
		if (ENTRY_HAS(entry, ioapic))
			add_ioapic(info, entry);
		break;
	case OVERRIDE:
		if (ENTRY_HAS(entry, override))
			add_override(info, entry);
		break;
	}
}

void madt_read(struct acpi_info *info)
{
	const struct madt *madt = (const struct madt *)acpi_find("APIC");
	const uint8_t *at, *end;

	if (!madt || madt->header.length < sizeof(*madt))
		return;
	info->no_8259 = !(madt->flags & MADT_PCAT_COMPAT);
	at = (const uint8_t *)(madt + 1);
	end = (const uint8_t *)madt + madt->header.length;
	while (end - at >= ENTRY_HEADER) {
		const struct entry *entry = (const struct entry *)at;

		if (entry->length < ENTRY_HEADER || entry->length > end - at)
			return;
		read_entry(info, entry);
		at += entry->length;
	}
}

unsigned acpi_isa_gsi(unsigned isa_irq)
{
	const struct acpi_info *info = acpi_info();

	for (unsigned i = 0; i < info->override_count; i++)
		if (info->overrides[i].isa_irq == isa_irq)
			return info->overrides[i].gsi;
	return isa_irq;
}

/* "As the bus does" is edge and high on ISA, level and low for the SCI and on PCI. */
struct acpi_trigger acpi_gsi_trigger(unsigned gsi)
{
	const struct acpi_info *info = acpi_info();
	bool shared = gsi >= ISA_IRQS || (info->sci_gsi && gsi == info->sci_gsi);
	struct acpi_trigger trigger = {.level = shared, .active_low = shared};

	for (unsigned i = 0; i < info->override_count; i++) {
		uint16_t flags = info->overrides[i].flags;

		if (info->overrides[i].gsi != gsi)
			continue;
		if (flags & INTI_POLARITY)
			trigger.active_low = (flags & INTI_POLARITY) == INTI_ACTIVE_LOW;
		if (flags & INTI_TRIGGER)
			trigger.level = (flags & INTI_TRIGGER) == INTI_LEVEL;
	}
	return trigger;
}
