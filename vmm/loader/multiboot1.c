/* Multiboot 1: Multiboot specification 0.6.96 § 3.1 (header) and § 3.3 (boot information). */
#include "multiboot1.h"

#include <stddef.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "bytes.h"
#include "memory_map.h"
#include "writer.h"

#define SEARCH_BYTES	 8192
#define SEARCH_STEP	 4
#define HEADER_MAGIC	 0x1badb002
#define HEADER_BYTES	 12
#define ADDRESSES_OFFSET 12
#define ADDRESSES_BYTES	 20

/* Header flags. A loader must refuse an unknown one among the lower 16. */
#define WANTS_PAGE_ALIGNED_MODULES (1u << 0) /* always given */
#define WANTS_MEMORY		   (1u << 1) /* always given */
#define WANTS_KNOWN		   (WANTS_PAGE_ALIGNED_MODULES | WANTS_MEMORY)
#define WANTS_MASK		   0xffffu
#define HAS_ADDRESSES		   (1u << 16)

/* Boot information flags. */
#define INFO_MEMORY	(1u << 0)
#define INFO_CMDLINE	(1u << 2)
#define INFO_MODULES	(1u << 3)
#define INFO_MEMORY_MAP (1u << 6)

/* The part of the boot information that the flags above cover. */
struct multiboot1_info {
	uint32_t flags;
	uint32_t mem_lower, mem_upper; /* KiB */
	uint32_t boot_device;
	uint32_t cmdline;
	uint32_t mods_count, mods_addr;
	uint32_t syms[4];
	uint32_t mmap_length, mmap_addr;
	uint32_t unused[9]; /* to the end of version 1's structure */
};
_Static_assert(offsetof(struct multiboot1_info, mmap_length) == 44, "mmap_length at 44");
_Static_assert(sizeof(struct multiboot1_info) == 88, "multiboot1_info is 88 bytes");

struct multiboot1_module {
	uint32_t start, end, string, reserved;
};

/* A map entry's first field is its size without that field. */
#define MEMORY_ENTRY_SIZE 20

static int refuse(struct error *e, uint32_t offset, const char *what, uint32_t value)
{
	return error_set(e, TK_EXIT_USAGE, "multiboot1 header at 0x%x: %s 0x%x", offset, what,
			 value);
}

static int read_header(struct view file, uint32_t offset, struct multiboot1_header *header,
		       struct error *e)
{
	const uint8_t *at = file.data + offset;
	uint32_t flags = bytes_u32(at + 4);

	if (flags & WANTS_MASK & ~WANTS_KNOWN)
		return refuse(e, offset, "needs unknown features, flags", flags);
	if (!(flags & HAS_ADDRESSES))
		return 1;
	if (file.size - offset < ADDRESSES_OFFSET + ADDRESSES_BYTES)
		return refuse(e, offset, "address fields are cut short, flags", flags);
	at += ADDRESSES_OFFSET;
	header->has_addresses = true;
	header->addresses = (struct flat_image){
		.header_offset = offset,
		.header_addr = bytes_u32(at),
		.load_addr = bytes_u32(at + 4),
		.load_end_addr = bytes_u32(at + 8),
		.bss_end_addr = bytes_u32(at + 12),
		.entry_addr = bytes_u32(at + 16),
	};
	return 1;
}

int multiboot1_find(struct view file, struct multiboot1_header *header, struct error *e)
{
	int result = 0;

	*header = (struct multiboot1_header){0};
	if (file.size > SEARCH_BYTES)
		file.size = SEARCH_BYTES;
	for (uint32_t offset = 0; offset + HEADER_BYTES <= file.size; offset += SEARCH_STEP) {
		const uint8_t *at = file.data + offset;
		uint32_t sum = bytes_u32(at) + bytes_u32(at + 4) + bytes_u32(at + 8);

		if (bytes_u32(at) != HEADER_MAGIC)
			continue;
		if (!sum)
			return read_header(file, offset, header, e);
		/* Perhaps a chance: named only if no header follows. */
		if (!result)
			result = refuse(e, offset, "checksum is off by", sum);
	}
	return result;
}

static uint32_t write_map(struct writer *writer, const struct ram *ram,
			  const struct acpi_config *acpi)
{
	struct memory_range map[MEMORY_MAP_MAX];
	unsigned count = memory_map(ram, acpi, map);
	uint32_t start = writer->length;

	for (unsigned i = 0; i < count; i++) {
		write_u32(writer, MEMORY_ENTRY_SIZE);
		write_u64(writer, map[i].base);
		write_u64(writer, map[i].length);
		write_u32(writer, map[i].type);
	}
	return writer->length - start;
}

static void write_modules(struct writer *writer, const struct boot_plan *plan,
			  const struct module_place *modules, uint32_t base)
{
	uint32_t string = base + writer->length +
			  plan->module_count * (uint32_t)sizeof(struct multiboot1_module);

	for (unsigned i = 0; i < plan->module_count; i++) {
		struct multiboot1_module module = {modules[i].start, modules[i].end, string, 0};

		write_bytes(writer, &module, sizeof(module));
		string += (uint32_t)strlen(plan->modules[i].cmdline) + 1;
	}
	for (unsigned i = 0; i < plan->module_count; i++)
		write_string(writer, plan->modules[i].cmdline);
}

/* All in one block at guest address `base`: the structure first, then what it points to. */
static void write_info(struct writer *writer, const struct boot_plan *plan,
		       const struct module_place *modules, const struct acpi_config *acpi,
		       const struct ram *ram, uint32_t base)
{
	struct multiboot1_info info = {
		.flags = INFO_MEMORY | INFO_CMDLINE | INFO_MEMORY_MAP,
		.mem_lower = memory_lower_kib(),
		.mem_upper = memory_upper_kib(ram),
	};

	writer->length = sizeof(info);
	info.mmap_addr = base + writer->length;
	info.mmap_length = write_map(writer, ram, acpi);
	if (plan->module_count) {
		info.flags |= INFO_MODULES;
		info.mods_count = plan->module_count;
		info.mods_addr = base + writer->length;
		write_modules(writer, plan, modules, base);
	}
	info.cmdline = base + writer->length;
	write_string(writer, plan->cmdline);
	if (writer->memory)
		memcpy(writer->memory, &info, sizeof(info));
}

int multiboot1_info(const struct boot_plan *plan, const struct module_place *modules,
		    const struct acpi_config *acpi, const struct ram *ram, struct space *space,
		    uint32_t *address, struct error *e)
{
	struct writer writer = {0};
	uint64_t start;

	write_info(&writer, plan, modules, acpi, ram, 0);
	if (space_place_info(space, writer.length, &start, e) < 0)
		return -1;
	writer = (struct writer){.memory = ram->host + start};
	write_info(&writer, plan, modules, acpi, ram, (uint32_t)start);
	*address = (uint32_t)start;
	return 0;
}
