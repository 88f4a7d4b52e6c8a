/*
 * The Multiboot2 specification 2.0: a kernel's header, and the boot information
 * that the kernel is started with.
 */
#ifndef TICKVM_LOADER_MULTIBOOT2_H
#define TICKVM_LOADER_MULTIBOOT2_H

#include <stdbool.h>
#include <stdint.h>

#include "elf.h"
#include "flat.h"
#include "loader.h"

#define MULTIBOOT2_BOOT_MAGIC 0x36d76289 /* in EAX */

enum multiboot2_info_type {
	MULTIBOOT2_INFO_END = 0,
	MULTIBOOT2_INFO_CMDLINE = 1,
	MULTIBOOT2_INFO_LOADER_NAME = 2,
	MULTIBOOT2_INFO_MODULE = 3,
	MULTIBOOT2_INFO_BASIC_MEMORY = 4,
	MULTIBOOT2_INFO_MEMORY_MAP = 6,
	MULTIBOOT2_INFO_ELF_SECTIONS = 9,
	MULTIBOOT2_INFO_ACPI_OLD = 14,
	MULTIBOOT2_INFO_ACPI_NEW = 15,
};

/* What a header asks for. */
struct multiboot2_header {
	bool has_entry;
	uint32_t entry; /* physical, when has_entry */
	bool has_addresses;
	struct flat_image addresses; /* when has_addresses */
};

/*
 * Looks for a header and reads it. 1: found; 0: there is none; -1: there is one
 * that is damaged or asks for what this loader does not give.
 */
int multiboot2_find(struct view file, struct multiboot2_header *header, struct error *e);

/* Where a module of the plan was put. */
struct module_place {
	uint32_t start, end;
};

/*
 * Puts the boot information where nothing else lies. `elf` is NULL for an image
 * without section headers. *address: for EBX.
 */
int multiboot2_info(const struct boot_plan *plan, const struct module_place *modules,
		    const struct elf *elf, const struct acpi_config *acpi, const struct ram *ram,
		    struct space *space, uint32_t *address, struct error *e);

#endif
