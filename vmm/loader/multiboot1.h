/*
 * The Multiboot specification 0.6.96: the header and boot information of version 1,
 * for the 32-bit test images of other projects.
 */
#ifndef TICKVM_LOADER_MULTIBOOT1_H
#define TICKVM_LOADER_MULTIBOOT1_H

#include <stdbool.h>
#include <stdint.h>

#include "flat.h"
#include "loader.h"
#include "multiboot2.h"

#define MULTIBOOT1_BOOT_MAGIC 0x2badb002 /* in EAX */

struct multiboot1_header {
	bool has_addresses;
	struct flat_image addresses; /* when has_addresses */
};

/* As multiboot2_find(): 1, 0 or -1. */
int multiboot1_find(struct view file, struct multiboot1_header *header, struct error *e);

/* As multiboot2_info(). */
int multiboot1_info(const struct boot_plan *plan, const struct module_place *modules,
		    const struct acpi_config *acpi, const struct ram *ram, struct space *space,
		    uint32_t *address, struct error *e);

#endif
