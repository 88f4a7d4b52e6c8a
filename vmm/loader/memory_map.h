/* The machine's memory map, in the types that multiboot 1 and 2 share with ACPI's E820. */
#ifndef TICKVM_LOADER_MEMORY_MAP_H
#define TICKVM_LOADER_MEMORY_MAP_H

#include <stdint.h>

#include "loader.h"

enum memory_type { MEMORY_AVAILABLE = 1, MEMORY_RESERVED = 2 };

struct memory_range {
	uint64_t base, length;
	uint32_t type;
};

#define MEMORY_MAP_MAX 8

/* Fills `map` in rising order; returns the number of ranges. */
unsigned memory_map(const struct ram *ram, const struct acpi_config *acpi,
		    struct memory_range map[MEMORY_MAP_MAX]);

/* The multiboot "basic memory" figures: KiB below 640 KiB, and KiB from 1 MiB up to the first hole.
 */
uint32_t memory_lower_kib(void);
uint32_t memory_upper_kib(const struct ram *ram);

#endif
