/*
 * Boot information: multiboot2 (specification 2.0, § 3.6) and PVH (xen:
 * public/arch-x86/hvm/start_info.h). No size or address in it is trusted: what does
 * not fit is left out. Only what lies below 4 GiB is mapped, and so looked at.
 */
#include "boot.h"

#include <stddef.h>

#include "layout.h"
#include "memory.h"

#define MAPPED_END (1ull << 32)
#define LOW_END	   (1ull << 20)

static struct bootinfo boot;

extern const char image_start[], image_end[];

const struct bootinfo *bootinfo(void)
{
	return &boot;
}

/* Copies a string of at most `length` bytes, closed by NUL or not. */
static void copy_string(char *to, size_t size, const char *from, uint64_t length)
{
	size_t n = 0;

	for (; n < size - 1 && n < length && from[n]; n++)
		to[n] = from[n];
	to[n] = 0;
}

/* A usable range of the memory map. */
static void add_ram(uint64_t start, uint64_t length)
{
	uint64_t end;

	if (__builtin_add_overflow(start, length, &end))
		return;
	boot.ram_total += length;
	if (end > MAPPED_END)
		end = MAPPED_END;
	if (start <= (uintptr_t)image_start && end >= (uintptr_t)image_end) {
		boot.ram_start = (uintptr_t)image_end;
		boot.ram_end = end;
	} else if (end <= LOW_END && end > start && end - start > boot.low_end - boot.low_start) {
		boot.low_start = start;
		boot.low_end = end;
	}
}

/* Takes a range out of the image's: the larger part that is left stays. */
static void reserve(uint64_t start, uint64_t length)
{
	uint64_t end;

	if (__builtin_add_overflow(start, length, &end))
		end = UINT64_MAX;
	if (end <= boot.ram_start || start >= boot.ram_end)
		return;
	if (start > boot.ram_start &&
	    (end >= boot.ram_end || start - boot.ram_start >= boot.ram_end - end))
		boot.ram_end = start;
	else
		boot.ram_start = end < boot.ram_end ? end : boot.ram_end;
}

/* ---- multiboot2 ---------------------------------------------------------- */

enum multiboot2_type {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER = 2,
	TAG_MODULE = 3,
	TAG_MEMORY_MAP = 6,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
};

struct multiboot2_tag {
	uint32_t type, size;
	union {
		char string[1];
		struct {
			uint32_t start, end;
		} module;
		struct {
			uint32_t entry_size, entry_version;
		} map;
		uint8_t rsdp[1];
	};
};
#define TAG_HEADER 8

struct map_entry {
	uint64_t start, length;
	uint32_t type, reserved;
};
#define MAP_RAM 1

/* The RSDP comes within the boot information, which becomes heap: keep it. */
static uint8_t rsdp_copy[36];

static void copy_rsdp(const struct multiboot2_tag *tag, size_t size)
{
	if (tag->size < TAG_HEADER + size)
		return;
	__builtin_memcpy(rsdp_copy, tag->rsdp, size);
	boot.rsdp = (uintptr_t)rsdp_copy;
}

static void walk_map(const struct multiboot2_tag *tag, bool usable)
{
	uint32_t step = tag->map.entry_size;
	const char *at = (const char *)tag + TAG_HEADER + 8;
	const char *end = (const char *)tag + tag->size;

	if (tag->size < TAG_HEADER + 8 || step < sizeof(struct map_entry))
		return;
	for (; at + step <= end; at += step) {
		const struct map_entry *entry = (const void *)at;

		if (usable && entry->type == MAP_RAM)
			add_ram(entry->start, entry->length);
		if (!usable && entry->type != MAP_RAM)
			reserve(entry->start, entry->length);
	}
}

static void read_tag(const struct multiboot2_tag *tag)
{
	switch (tag->type) {
	case TAG_CMDLINE:
		copy_string(boot.cmdline, sizeof(boot.cmdline), tag->string,
			    tag->size - TAG_HEADER);
		break;
	case TAG_LOADER:
		copy_string(boot.loader, sizeof(boot.loader), tag->string, tag->size - TAG_HEADER);
		break;
	case TAG_MEMORY_MAP:
		walk_map(tag, true);
		break;
	case TAG_RSDP_OLD:
		if (!boot.rsdp)
			copy_rsdp(tag, 20);
		break;
	case TAG_RSDP_NEW:
		copy_rsdp(tag, 36);
		break;
	}
}

static void read_reservation(const struct multiboot2_tag *tag)
{
	if (tag->type == TAG_MEMORY_MAP)
		walk_map(tag, false);
	if (tag->type == TAG_MODULE && tag->size >= TAG_HEADER + 8)
		reserve(tag->module.start, tag->module.end - tag->module.start);
}

static void walk_tags(uint32_t info, void (*visit)(const struct multiboot2_tag *tag))
{
	uint64_t at = info + 8ull, end = info + (uint64_t) * (const uint32_t *)(uintptr_t)info;

	if (end > MAPPED_END)
		end = MAPPED_END;
	while (at + TAG_HEADER <= end) {
		const struct multiboot2_tag *tag = (const void *)at;

		if (tag->type == TAG_END || tag->size < TAG_HEADER || tag->size > end - at)
			return;
		visit(tag);
		at += (tag->size + 7ull) & ~7ull;
	}
}

static void read_multiboot2(uint32_t info)
{
	boot.protocol = "multiboot2";
	walk_tags(info, read_tag);
	walk_tags(info, read_reservation);
}

/* ---- PVH ----------------------------------------------------------------- */

struct pvh_start_info {
	uint32_t magic, version, flags, module_count;
	uint64_t modules, cmdline, rsdp;
	uint64_t map; /* from here on: version 1 */
	uint32_t map_count, reserved;
};

struct pvh_module {
	uint64_t start, length, cmdline, reserved;
};

/* An array in mapped memory, or NULL. */
static const void *pvh_array(uint64_t address, uint32_t count, size_t size)
{
	if (!address || address >= MAPPED_END || count > (MAPPED_END - address) / size)
		return NULL;
	return (const void *)address;
}

static bool read_pvh(uint32_t info)
{
	const struct pvh_start_info *start = (const void *)(uintptr_t)info;
	const struct map_entry *map;
	const struct pvh_module *modules;

	if (start->magic != PVH_MAGIC)
		return false;
	boot.protocol = "PVH";
	if (start->cmdline && start->cmdline < MAPPED_END)
		copy_string(boot.cmdline, sizeof(boot.cmdline), (const char *)start->cmdline,
			    MAPPED_END - start->cmdline);
	if (start->rsdp < MAPPED_END)
		boot.rsdp = start->rsdp;

	map = pvh_array(start->map, start->map_count, sizeof(*map));
	if (start->version == 0)
		map = NULL;
	for (uint32_t i = 0; map && i < start->map_count; i++)
		if (map[i].type == MAP_RAM)
			add_ram(map[i].start, map[i].length);
	for (uint32_t i = 0; map && i < start->map_count; i++)
		if (map[i].type != MAP_RAM)
			reserve(map[i].start, map[i].length);

	modules = pvh_array(start->modules, start->module_count, sizeof(*modules));
	for (uint32_t i = 0; modules && i < start->module_count; i++)
		reserve(modules[i].start, modules[i].length);
	return true;
}

bool bootinfo_read(uint32_t magic, uint32_t info)
{
	if (magic == PVH_MAGIC)
		return read_pvh(info);
	if (magic != MULTIBOOT2_MAGIC)
		return false;
	read_multiboot2(info);
	return true;
}
