/* The Multiboot2 boot information: Multiboot2 specification 2.0 § 3.6. */
#include "../error.h"
#include "../machine_map.h"
#include "memory_map.h"
#include "multiboot2.h"
#include "writer.h"

#define TAG_ALIGNMENT	  8
#define MEMORY_ENTRY_SIZE 24
#define RSDP_OLD_BYTES	  20
#define RSDP_NEW_BYTES	  36

struct info {
	const struct boot_plan *plan;
	const struct module_place *modules;
	const struct elf *elf;
	const struct acpi_config *acpi;
	const struct ram *ram;
};

/* A tag's size is known only at its end, and is then put in at its beginning. */
static uint32_t begin_tag(struct writer *writer, enum multiboot2_info_type type)
{
	uint32_t start;

	write_align(writer, TAG_ALIGNMENT);
	start = writer->length;
	write_u32(writer, type);
	write_u32(writer, 0);
	return start;
}

static void set_u32(struct writer *writer, uint32_t offset, uint32_t value)
{
	if (writer->memory)
		memcpy(writer->memory + offset, &value, sizeof(value));
}

static void end_tag(struct writer *writer, uint32_t start)
{
	set_u32(writer, start + sizeof(uint32_t), writer->length - start);
}

static void write_string_tag(struct writer *writer, enum multiboot2_info_type type,
			     const char *text)
{
	uint32_t start = begin_tag(writer, type);

	write_string(writer, text);
	end_tag(writer, start);
}

static void write_modules(struct writer *writer, const struct info *info)
{
	for (unsigned i = 0; i < info->plan->module_count; i++) {
		uint32_t start = begin_tag(writer, MULTIBOOT2_INFO_MODULE);

		write_u32(writer, info->modules[i].start);
		write_u32(writer, info->modules[i].end);
		write_string(writer, info->plan->modules[i].cmdline);
		end_tag(writer, start);
	}
}

static void write_memory(struct writer *writer, const struct info *info)
{
	struct memory_range map[MEMORY_MAP_MAX];
	unsigned count = memory_map(info->ram, info->acpi, map);
	uint32_t start = begin_tag(writer, MULTIBOOT2_INFO_BASIC_MEMORY);

	write_u32(writer, memory_lower_kib());
	write_u32(writer, memory_upper_kib(info->ram));
	end_tag(writer, start);

	start = begin_tag(writer, MULTIBOOT2_INFO_MEMORY_MAP);
	write_u32(writer, MEMORY_ENTRY_SIZE);
	write_u32(writer, 0); /* version of the entries */
	for (unsigned i = 0; i < count; i++) {
		write_u64(writer, map[i].base);
		write_u64(writer, map[i].length);
		write_u32(writer, map[i].type);
		write_u32(writer, 0);
	}
	end_tag(writer, start);
}

/*
 * The section headers as they stand in the file. Those with address 0 (symbols,
 * debugging) were not loaded: putting them into memory would cost each boot time.
 */
static void write_sections(struct writer *writer, const struct elf *elf)
{
	uint32_t start;

	if (!elf || !elf->header.e_shnum)
		return;
	start = begin_tag(writer, MULTIBOOT2_INFO_ELF_SECTIONS);
	write_u32(writer, elf->header.e_shnum);
	write_u32(writer, elf->header.e_shentsize);
	write_u32(writer, elf->header.e_shstrndx);
	write_bytes(writer, elf_section(elf, 0),
		    (uint32_t)elf->header.e_shnum * elf->header.e_shentsize);
	end_tag(writer, start);
}

static void write_rsdp(struct writer *writer, const struct ram *ram, enum multiboot2_info_type type,
		       uint32_t length)
{
	uint32_t start = begin_tag(writer, type);

	write_bytes(writer, ram->host + MAP_ACPI_BASE, length);
	end_tag(writer, start);
}

static void write_info(struct writer *writer, const struct info *info)
{
	write_u32(writer, 0); /* the total size: set below */
	write_u32(writer, 0);
	write_string_tag(writer, MULTIBOOT2_INFO_CMDLINE, info->plan->cmdline);
	write_string_tag(writer, MULTIBOOT2_INFO_LOADER_NAME, "tickvm");
	write_modules(writer, info);
	write_memory(writer, info);
	write_sections(writer, info->elf);
	write_rsdp(writer, info->ram, MULTIBOOT2_INFO_ACPI_OLD, RSDP_OLD_BYTES);
	write_rsdp(writer, info->ram, MULTIBOOT2_INFO_ACPI_NEW, RSDP_NEW_BYTES);
	end_tag(writer, begin_tag(writer, MULTIBOOT2_INFO_END));
	set_u32(writer, 0, writer->length);
}

int multiboot2_info(const struct boot_plan *plan, const struct module_place *modules,
		    const struct elf *elf, const struct acpi_config *acpi, const struct ram *ram,
		    struct space *space, uint32_t *address, struct error *e)
{
	struct info info = {plan, modules, elf, acpi, ram};
	struct writer writer = {0};
	uint64_t start;

	write_info(&writer, &info);
	if (space_place_info(space, writer.length, &start, e) < 0)
		return -1;
	writer = (struct writer){.memory = ram->host + start};
	write_info(&writer, &info);
	*address = (uint32_t)start;
	return 0;
}
