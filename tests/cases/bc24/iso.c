/* BC-24: the good ISO cut short, and with one field of ECMA-119 changed. */
#include <err.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define SECTOR	    2048
#define DESCRIPTOR  (16 * SECTOR)
#define RECORD_NAME 33 /* offset of the name in a directory record */

static void write_iso(const char *name, struct image iso, uint64_t offset, uint32_t value,
		      const char *verdict)
{
	uint32_t saved;

	memcpy(&saved, iso.bytes + offset, sizeof(saved));
	memcpy(iso.bytes + offset, &value, sizeof(value));
	write_image(name, iso, verdict);
	memcpy(iso.bytes + offset, &saved, sizeof(saved));
}

void write_isos(const char *path)
{
	struct image iso = read_file(path);
	uint8_t *config = memmem(iso.bytes, iso.size, "grub.cfg;1", 10);
	uint8_t *kernel = memmem(iso.bytes, iso.size, good.bytes, offsetof(Elf64_Ehdr, e_version));
	uint64_t record;

	if (!config || !kernel)
		errx(1, "%s: has no grub.cfg, or no ELF as the good one", path);
	record = (uint64_t)(config - iso.bytes) - RECORD_NAME;
	write_image("good.iso", iso, "boot");
	write_cut("cut-in-descriptor.iso", iso, DESCRIPTOR + SECTOR - 1, "image");
	write_cut("cut-after-descriptor.iso", iso, DESCRIPTOR + SECTOR, "root directory");
	write_iso("block-size.iso", iso, DESCRIPTOR + 128, 0x00020200, "reject block size");
	write_iso("root-extent.iso", iso, DESCRIPTOR + 158, UINT32_MAX, "reject root directory");
	write_iso("root-size.iso", iso, DESCRIPTOR + 166, UINT32_MAX, "reject root directory");
	write_iso("config-extent.iso", iso, record + 2, UINT32_MAX, "reject file outside");
	write_iso("config-size.iso", iso, record + 10, UINT32_MAX, "reject file outside");
	write_iso("config-name.iso", iso, record + 32, 255, "reject directory record");
	write_iso("kernel-class.iso", iso, (uint64_t)(kernel - iso.bytes) + EI_CLASS, 7,
		  "reject EI_CLASS");
	free(iso.bytes);
}
