/* BC-24: the good ELF with one field changed, refused by that field's name. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum base { PLAIN, FILE_END, RAM_END };

struct change {
	const char *name;
	enum part part;
	unsigned offset, width;
	enum base base;
	int64_t value; /* added to the base */
	const char *word;
};

#define HEAD(field)	 HEADER, offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)0)->field)
#define IDENT(i)	 HEADER, i, 1
#define SEG(part, field) part, offsetof(Elf64_Phdr, field), sizeof(((Elf64_Phdr *)0)->field)
#define TWO_63		 INT64_MIN

/* Not here: p_offset 0, which is a legal image of other code. */
static const struct change changes[] = {
	{"magic", IDENT(EI_MAG3), PLAIN, 'f', "e_ident"},
	{"class-0", IDENT(EI_CLASS), PLAIN, 0, "EI_CLASS"},
	{"class-32", IDENT(EI_CLASS), PLAIN, ELFCLASS32, "e_machine"},
	{"data-big-endian", IDENT(EI_DATA), PLAIN, ELFDATA2MSB, "EI_DATA"},
	{"ident-version-0", IDENT(EI_VERSION), PLAIN, 0, "EI_VERSION"},
	{"type-relocatable", HEAD(e_type), PLAIN, ET_REL, "e_type"},
	{"type-shared", HEAD(e_type), PLAIN, ET_DYN, "e_type"},
	{"machine-arm64", HEAD(e_machine), PLAIN, EM_AARCH64, "e_machine"},
	{"version-0", HEAD(e_version), PLAIN, 0, "e_version"},
	{"ehsize-52", HEAD(e_ehsize), PLAIN, 52, "e_ehsize"},

	{"entry-0", HEAD(e_entry), PLAIN, 0, "e_entry"},
	{"entry-in-no-segment", HEAD(e_entry), PLAIN, 0x8000000, "e_entry"},
	{"entry-2^32-1", HEAD(e_entry), PLAIN, UINT32_MAX, "e_entry"},
	{"entry-2^64-1", HEAD(e_entry), PLAIN, -1, "e_entry"},

	{"phoff-0", HEAD(e_phoff), PLAIN, 0, "e_entry"}, /* no segment to load is read there */
	{"phoff-end-1", HEAD(e_phoff), FILE_END, -1, "e_phnum"},
	{"phoff-end", HEAD(e_phoff), FILE_END, 0, "e_phnum"},
	{"phoff-end+1", HEAD(e_phoff), FILE_END, 1, "e_phoff"},
	{"phoff-2^32-1", HEAD(e_phoff), PLAIN, UINT32_MAX, "e_phoff"},
	{"phoff-2^63", HEAD(e_phoff), PLAIN, TWO_63, "e_phoff"},
	{"phoff-2^64-1", HEAD(e_phoff), PLAIN, -1, "e_phoff"},
	{"phnum-0", HEAD(e_phnum), PLAIN, 0, "e_phnum"},
	{"phnum-65535", HEAD(e_phnum), PLAIN, UINT16_MAX, "e_phnum"},
	{"phentsize-0", HEAD(e_phentsize), PLAIN, 0, "e_phentsize"},
	{"phentsize-1", HEAD(e_phentsize), PLAIN, 1, "e_phentsize"},
	{"phentsize-55", HEAD(e_phentsize), PLAIN, 55, "e_phentsize"},
	{"phentsize-57", HEAD(e_phentsize), PLAIN, 57, "e_phentsize"},
	{"phentsize-65535", HEAD(e_phentsize), PLAIN, UINT16_MAX, "e_phentsize"},
	{"shoff-end+1", HEAD(e_shoff), FILE_END, 1, "e_shoff"},
	{"shnum-65535", HEAD(e_shnum), PLAIN, UINT16_MAX, "e_shnum"},
	{"shentsize-63", HEAD(e_shentsize), PLAIN, 63, "e_shentsize"},

	{"offset-1", SEG(CODE, p_offset), PLAIN, 1, "p_offset"},
	{"offset-end-1", SEG(CODE, p_offset), FILE_END, -1, "p_filesz"},
	{"offset-end", SEG(CODE, p_offset), FILE_END, 0, "p_filesz"},
	{"offset-end+1", SEG(CODE, p_offset), FILE_END, 1, "p_offset"},
	{"offset-2^32-1", SEG(CODE, p_offset), PLAIN, UINT32_MAX, "p_offset"},
	{"offset-2^63", SEG(CODE, p_offset), PLAIN, TWO_63, "p_offset"},
	{"offset-2^64-1", SEG(CODE, p_offset), PLAIN, -1, "p_offset"},
	{"offset-2^64-page", SEG(CODE, p_offset), PLAIN, -PAGE, "p_offset"},
	{"filesz-0", SEG(CODE, p_filesz), PLAIN, 0, "e_entry"},
	{"filesz-1", SEG(CODE, p_filesz), PLAIN, 1, "e_entry"},
	{"filesz-end-1", SEG(CODE, p_filesz), FILE_END, -1, "p_filesz"},
	{"filesz-end", SEG(CODE, p_filesz), FILE_END, 0, "p_filesz"},
	{"filesz-end+1", SEG(CODE, p_filesz), FILE_END, 1, "p_filesz"},
	{"filesz-2^32-1", SEG(CODE, p_filesz), PLAIN, UINT32_MAX, "p_filesz"},
	{"filesz-2^63", SEG(CODE, p_filesz), PLAIN, TWO_63, "p_filesz"},
	{"filesz-2^64-1", SEG(CODE, p_filesz), PLAIN, -1, "p_filesz"},
	{"memsz-0", SEG(CODE, p_memsz), PLAIN, 0, "p_filesz"},
	{"memsz-1", SEG(CODE, p_memsz), PLAIN, 1, "p_filesz"},
	{"memsz-ram", SEG(DATA, p_memsz), RAM_END, 0, "p_memsz"},
	{"memsz-2^32-1", SEG(DATA, p_memsz), PLAIN, UINT32_MAX, "p_memsz"},
	{"memsz-2^63", SEG(DATA, p_memsz), PLAIN, TWO_63, "p_memsz"},
	{"memsz-2^64-1", SEG(DATA, p_memsz), PLAIN, -1, "p_memsz"},
	{"memsz-2^64-page", SEG(DATA, p_memsz), PLAIN, -PAGE, "p_memsz"},
	{"paddr-0", SEG(CODE, p_paddr), PLAIN, 0, "p_paddr"}, /* page zero */
	{"paddr-1", SEG(CODE, p_paddr), PLAIN, 1, "p_paddr"},
	{"paddr-firmware", SEG(CODE, p_paddr), PLAIN, 0xa0000, "p_paddr"},
	{"paddr-acpi-tables", SEG(CODE, p_paddr), PLAIN, 0xe0000, "p_paddr"},
	{"paddr-end-1", SEG(CODE, p_paddr), RAM_END, -1, "p_memsz"},
	{"paddr-end", SEG(CODE, p_paddr), RAM_END, 0, "p_memsz"},
	{"paddr-end+1", SEG(CODE, p_paddr), RAM_END, 1, "p_paddr"},
	{"paddr-2^32-1", SEG(CODE, p_paddr), PLAIN, UINT32_MAX, "p_paddr"},
	{"paddr-2^63", SEG(CODE, p_paddr), PLAIN, TWO_63, "p_paddr"},
	{"paddr-2^64-1", SEG(CODE, p_paddr), PLAIN, -1, "p_paddr"},
	{"paddr-2^64-page", SEG(CODE, p_paddr), PLAIN, -PAGE, "p_paddr"},
	{"align-3", SEG(CODE, p_align), PLAIN, 3, "p_align"},
	{"align-2^63", SEG(CODE, p_align), PLAIN, TWO_63, "p_offset"}, /* not congruent */
};

void write_changes(void)
{
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i];
		struct image image = copy_good();
		uint8_t *at = change->part == HEADER ? image.bytes
						     : (uint8_t *)segment(image, change->part);
		uint64_t base = change->base == FILE_END  ? good.size
				: change->base == RAM_END ? DEFAULT_RAM
							  : 0;
		uint64_t value = base + (uint64_t)change->value;
		char name[64], verdict[64];

		memcpy(at + change->offset, &value, change->width);
		snprintf(name, sizeof(name), "%s.elf", change->name);
		snprintf(verdict, sizeof(verdict), "reject %s", change->word);
		write_image(name, image, verdict);
		free(image.bytes);
	}
}
