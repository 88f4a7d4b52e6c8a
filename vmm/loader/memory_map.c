/* The memory map of the boot information: ACPI 6.5 § 15.1 (address range types). */
#include "memory_map.h"

#include "../machine_map.h"
#include "space.h"

#define PAGE_BYTES    UINT64_C(4096)
#define KVM_TSS_BYTES (3 * PAGE_BYTES)
#define BYTES_PER_KIB 1024

static void add(struct memory_range *map, unsigned *count, uint64_t base, uint64_t length,
		enum memory_type type)
{
	if (length)
		map[(*count)++] = (struct memory_range){base, length, type};
}

unsigned memory_map(const struct ram *ram, const struct acpi_config *acpi,
		    struct memory_range map[MEMORY_MAP_MAX])
{
	unsigned count = 0;

	add(map, &count, 0, SPACE_CONVENTIONAL_END, MEMORY_AVAILABLE);
	/* EBDA, video memory and the BIOS area, where the ACPI tables are. */
	add(map, &count, SPACE_CONVENTIONAL_END, SPACE_EXTENDED_BASE - SPACE_CONVENTIONAL_END,
	    MEMORY_RESERVED);
	add(map, &count, SPACE_EXTENDED_BASE, ram->low_size - SPACE_EXTENDED_BASE,
	    MEMORY_AVAILABLE);
	add(map, &count, MAP_IOAPIC_BASE, acpi->ioapic ? PAGE_BYTES : 0, MEMORY_RESERVED);
	add(map, &count, MAP_PAIR_NULL_BASE, acpi->pair ? PAGE_BYTES : 0, MEMORY_RESERVED);
	add(map, &count, MAP_LAPIC_BASE, PAGE_BYTES, MEMORY_RESERVED);
	add(map, &count, MAP_KVM_TSS_BASE, KVM_TSS_BYTES, MEMORY_RESERVED);
	add(map, &count, RAM_HIGH_BASE, ram->high_size, MEMORY_AVAILABLE);
	return count;
}

uint32_t memory_lower_kib(void)
{
	return SPACE_CONVENTIONAL_END / BYTES_PER_KIB;
}

uint32_t memory_upper_kib(const struct ram *ram)
{
	return (uint32_t)((ram->low_size - SPACE_EXTENDED_BASE) / BYTES_PER_KIB);
}
