/* BC-24: images cut short, segments over what is not theirs, a damaged multiboot2 header. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

static void write_cuts(void)
{
	const Elf64_Ehdr *header = header_of(good);
	uint64_t table_end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
	const Elf64_Phdr *code = segment(good, CODE);

	write_cut("cut-0.elf", good, 0, "file");
	write_cut("cut-3.elf", good, 3, "image");
	write_cut("cut-in-ident.elf", good, EI_NIDENT - 1, "e_ident");
	write_cut("cut-in-header.elf", good, sizeof(*header) - 1, "size");
	write_cut("cut-after-header.elf", good, sizeof(*header), "e_phnum");
	write_cut("cut-in-segments.elf", good, table_end - 1, "e_phnum");
	write_cut("cut-after-segments.elf", good, table_end, "e_shoff");
	write_cut("cut-before-code.elf", good, code->p_offset, "e_shoff");
	write_cut("cut-in-code.elf", good, code->p_offset + code->p_filesz / 2, "e_shoff");
	write_cut("cut-in-sections.elf", good, good.size - 1, "e_shnum");
}

static void write_overlaps(void)
{
	const Elf64_Phdr *data = segment(good, DATA);

	write_memory_only("overlap-page-zero.elf", PAGE - 1, 1, "reject page zero");
	write_memory_only("overlap-firmware.elf", 0x9fbff, 2, "reject firmware");
	write_memory_only("overlap-acpi-tables.elf", 0xfffff, 1, "reject ACPI");
	write_memory_only("overlap-segment.elf", data->p_paddr + data->p_memsz - 1, 1,
			  "reject another segment");
}

static void write_bad_header(const char *name, unsigned word, uint32_t value, const char *verdict)
{
	static const uint8_t magic[] = {0xd6, 0x50, 0x52, 0xe8};
	struct image image = copy_good();
	uint32_t *header = memmem(image.bytes, image.size, magic, sizeof(magic));

	if (!header)
		errx(1, "the good image has no multiboot2 header");
	header[word] += value;
	if (word != 3)
		header[3] -= value; /* the checksum stays right */
	write_image(name, image, verdict);
	free(image.bytes);
}

static void write_bad_headers(void)
{
	write_bad_header("multiboot-checksum.elf", 3, 1, "reject checksum");
	write_bad_header("multiboot-architecture.elf", 1, 4, "reject architecture");
	write_bad_header("multiboot-length.elf", 2, 0x100000, "reject length");
	write_bad_header("multiboot-magic.elf", 0, 1, "reject header");
}

void write_bad_shapes(void)
{
	write_cuts();
	write_overlaps();
	write_bad_headers();
}
