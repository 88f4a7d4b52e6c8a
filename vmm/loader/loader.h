/*
 * From a file to a guest that can start: the image kinds and what they share.
 *
 * Nothing in an image is trusted. All of it is read through bounded views; every
 * address and length is checked by subtraction from a known limit, never by a
 * sum that can wrap. A bad image is one line that names the field, exit code 2.
 */
#ifndef TICKVM_LOADER_H
#define TICKVM_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "../ram.h"

struct error;

/* Bytes of a file that stay mapped while the view is used. */
struct view {
	const uint8_t *data;
	uint64_t size;
	const char *path; /* of the file, when the view is the whole of it; else NULL */
};

/* The part [offset, offset + length) of a view. -1: not inside. */
static inline int view_slice(struct view view, uint64_t offset, uint64_t length, struct view *out)
{
	if (offset > view.size || length > view.size - offset)
		return -1;
	out->data = view.data + offset;
	out->size = length;
	out->path = 0;
	return 0;
}

/* Maps a whole regular file read-only (2 bytes at least). view_unmap() gives it back. */
int view_map(const char *path, struct view *out, struct error *e);
void view_unmap(struct view *view);

#define BOOT_CMDLINE_MAX 1024 /* bytes with the NUL, as kernel/bootinfo.h */
#define BOOT_MODULES_MAX 16

enum boot_protocol { BOOT_MULTIBOOT2, BOOT_MULTIBOOT1 };

/* What is to be booted, whatever kind of file it came from. */
struct boot_plan {
	enum boot_protocol protocol;
	struct view kernel; /* an ELF file */
	char cmdline[BOOT_CMDLINE_MAX];
	struct boot_module {
		struct view file;
		char cmdline[BOOT_CMDLINE_MAX];
	} modules[BOOT_MODULES_MAX];
	unsigned module_count;
};

/*
 * Finds out what a file is (ISO 9660 with boot/grub/grub.cfg, or an ELF with a
 * multiboot2 or multiboot1 header) and what it boots. `menu_entry`: title or
 * number of a grub.cfg entry, NULL for its default. `cmdline`: replaces the
 * kernel's arguments when not NULL.
 */
int boot_plan_read(struct view image, const char *menu_entry, const char *cmdline,
		   struct boot_plan *plan, struct error *e);

/* Adds words to the kernel's command line. -1: no room. */
int boot_plan_append(struct boot_plan *plan, const char *words, struct error *e);

/* What the ACPI tables state about this machine. */
struct acpi_config {
	unsigned cpus;
	bool ioapic;		/* false: the MADT lists local APICs only */
	unsigned pmtimer_width; /* 24 or 32 */
	uint32_t tsc_khz;	/* for the pair's table; 0: unknown */
	uint64_t pm_page_base;	/* for the pair's table; 0: none */
	bool virtual_time;	/* for the pair's table */
	bool pair;		/* with the pair's table (false for multiboot1 images) */
};

/* Where the CPU starts: flat 32-bit protected mode, paging off. */
struct boot_entry {
	uint32_t eip, eax, ebx;
};

/*
 * Loads a plan into RAM: ELF segments, boot information, modules, ACPI tables.
 * RAM is zero on entry and is not cleared again (it would cost a boot's time).
 */
int boot_load(const struct boot_plan *plan, const struct acpi_config *acpi, const struct ram *ram,
	      struct boot_entry *entry, struct error *e);

#endif
