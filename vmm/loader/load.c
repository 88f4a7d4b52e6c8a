/* A boot plan into memory: see loader.h. */
#include <stddef.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../machine_map.h"
#include "acpi.h"
#include "elf.h"
#include "multiboot1.h"
#include "multiboot2.h"
#include "space.h"

#define MODULE_ALIGNMENT 4096

struct loading {
	const struct boot_plan *plan;
	const struct acpi_config *acpi;
	const struct ram *ram;
	struct space space;
	struct module_place modules[BOOT_MODULES_MAX];
};

static int load_modules(struct loading *loading, struct error *e)
{
	for (unsigned i = 0; i < loading->plan->module_count; i++) {
		struct view file = loading->plan->modules[i].file;
		uint64_t start;

		if (space_place(&loading->space, space_top(&loading->space), loading->space.end,
				file.size, MODULE_ALIGNMENT, "module", &start, e) < 0)
			return -1;
		memcpy(loading->ram->host + start, file.data, file.size);
		loading->modules[i].start = (uint32_t)start;
		loading->modules[i].end = (uint32_t)(start + file.size);
	}
	return 0;
}

static int no_header(const char *kind, struct error *e)
{
	return error_set(e, TK_EXIT_USAGE, "kernel: no %s header", kind);
}

static int load_multiboot2(struct loading *loading, struct boot_entry *entry, struct error *e)
{
	struct multiboot2_header header;
	struct elf elf = {0};
	int found = multiboot2_find(loading->plan->kernel, &header, e);

	if (found <= 0)
		return found < 0 ? -1 : no_header("multiboot2", e);
	if (header.has_addresses) {
		if (!header.has_entry)
			return error_set(e, TK_EXIT_USAGE,
					 "multiboot2 header: an address tag without an entry tag");
		header.addresses.entry_addr = header.entry;
		entry->eip = header.entry;
		if (flat_load(loading->plan->kernel, &header.addresses, loading->ram,
			      &loading->space, e) < 0)
			return -1;
	} else if (elf_open(loading->plan->kernel, &elf, e) < 0 ||
		   elf_load(&elf, loading->ram, &loading->space, e) < 0 ||
		   elf_entry(&elf, header.has_entry ? &header.entry : NULL, &entry->eip, e) < 0) {
		return -1;
	}
	entry->eax = MULTIBOOT2_BOOT_MAGIC;
	if (load_modules(loading, e) < 0)
		return -1;
	return multiboot2_info(loading->plan, loading->modules, header.has_addresses ? NULL : &elf,
			       loading->acpi, loading->ram, &loading->space, &entry->ebx, e);
}

/* Version 1 has 32-bit ELF only. */
static int load_elf32(struct loading *loading, uint32_t *eip, struct error *e)
{
	struct elf elf;

	if (elf_open(loading->plan->kernel, &elf, e) < 0)
		return -1;
	if (elf.is_64)
		return error_set(e, TK_EXIT_USAGE,
				 "ELF EI_CLASS 0x2: a multiboot1 kernel should be of 32 bits");
	if (elf_load(&elf, loading->ram, &loading->space, e) < 0)
		return -1;
	return elf_entry(&elf, NULL, eip, e);
}

static int load_multiboot1(struct loading *loading, struct boot_entry *entry, struct error *e)
{
	struct multiboot1_header header;
	int found = multiboot1_find(loading->plan->kernel, &header, e);

	if (found <= 0)
		return found < 0 ? -1 : no_header("multiboot1", e);
	entry->eax = MULTIBOOT1_BOOT_MAGIC;
	entry->eip = header.addresses.entry_addr;
	if (header.has_addresses ? flat_load(loading->plan->kernel, &header.addresses, loading->ram,
					     &loading->space, e) < 0
				 : load_elf32(loading, &entry->eip, e) < 0)
		return -1;
	if (load_modules(loading, e) < 0)
		return -1;
	return multiboot1_info(loading->plan, loading->modules, loading->acpi, loading->ram,
			       &loading->space, &entry->ebx, e);
}

int boot_load(const struct boot_plan *plan, const struct acpi_config *acpi, const struct ram *ram,
	      struct boot_entry *entry, struct error *e)
{
	struct loading loading = {.plan = plan, .acpi = acpi, .ram = ram};

	if (ram->low_size <= SPACE_EXTENDED_BASE)
		return error_set(e, TK_EXIT_USAGE, "guest memory: should be over 1 MiB");
	space_init(&loading.space, ram->low_size);
	acpi_build(acpi, ram);
	if (plan->protocol == BOOT_MULTIBOOT1)
		return load_multiboot1(&loading, entry, e);
	return load_multiboot2(&loading, entry, e);
}
