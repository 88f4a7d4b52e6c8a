/*
 * ELF executables: System V gABI chapters 4 (object files) and 5 (program loading).
 *
 * The file is hostile until shown otherwise. Lengths are compared with what is
 * left after an offset, so that no sum can wrap; 32-bit fields are widened first.
 */
#include "elf.h"

#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../mutant.h"

typedef unsigned long long ull; /* for %llx */

/* [offset, offset + length) lies in [0, limit). */
static bool inside(uint64_t offset, uint64_t length, uint64_t limit)
{
	if (MUTANT(elf_bounds_add))
		return offset + length <= limit;
	return offset <= limit && length <= limit - offset;
}

bool elf_is(struct view file)
{
	return file.size >= SELFMAG && !memcmp(file.data, ELFMAG, SELFMAG);
}

static int bad(struct error *e, const char *field, uint64_t value, const char *should)
{
	return error_set(e, TK_EXIT_USAGE, "ELF %s 0x%llx: %s", field, (ull)value, should);
}

static int check_ident(const unsigned char *ident, struct error *e)
{
	if (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32)
		return bad(e, "EI_CLASS", ident[EI_CLASS], "should be 1 (32 bits) or 2 (64 bits)");
	if (ident[EI_DATA] != ELFDATA2LSB)
		return bad(e, "EI_DATA", ident[EI_DATA], "should be 1 (little endian)");
	if (ident[EI_VERSION] != EV_CURRENT)
		return bad(e, "EI_VERSION", ident[EI_VERSION], "should be 1");
	return 0;
}

static void widen_header(const Elf32_Ehdr *narrow, Elf64_Ehdr *wide)
{
	memcpy(wide->e_ident, narrow->e_ident, EI_NIDENT);
	wide->e_type = narrow->e_type;
	wide->e_machine = narrow->e_machine;
	wide->e_version = narrow->e_version;
	wide->e_entry = narrow->e_entry;
	wide->e_phoff = narrow->e_phoff;
	wide->e_shoff = narrow->e_shoff;
	wide->e_flags = narrow->e_flags;
	wide->e_ehsize = narrow->e_ehsize;
	wide->e_phentsize = narrow->e_phentsize;
	wide->e_phnum = narrow->e_phnum;
	wide->e_shentsize = narrow->e_shentsize;
	wide->e_shnum = narrow->e_shnum;
	wide->e_shstrndx = narrow->e_shstrndx;
}

static int read_header(struct elf *elf, struct error *e)
{
	uint64_t size = elf->file.size;
	Elf32_Ehdr narrow;

	if (!elf_is(elf->file) || size < EI_NIDENT)
		return error_set(e, TK_EXIT_USAGE, "ELF e_ident: missing or cut short");
	if (check_ident(elf->file.data, e) < 0)
		return -1;
	elf->is_64 = elf->file.data[EI_CLASS] == ELFCLASS64;
	if (size < (elf->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return bad(e, "file size", size, "smaller than the ELF header");
	if (elf->is_64) {
		memcpy(&elf->header, elf->file.data, sizeof(elf->header));
	} else {
		memcpy(&narrow, elf->file.data, sizeof(narrow));
		widen_header(&narrow, &elf->header);
	}
	return 0;
}

static int check_kind(const struct elf *elf, struct error *e)
{
	const Elf64_Ehdr *header = &elf->header;

	if (header->e_machine != (elf->is_64 ? EM_X86_64 : EM_386))
		return bad(e, "e_machine", header->e_machine,
			   elf->is_64 ? "should be 62 (x86-64)" : "should be 3 (386)");
	if (header->e_type != ET_EXEC)
		return bad(e, "e_type", header->e_type, "should be 2 (executable)");
	if (header->e_version != EV_CURRENT)
		return bad(e, "e_version", header->e_version, "should be 1");
	if (header->e_ehsize != (elf->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return bad(e, "e_ehsize", header->e_ehsize, "not the size of this class's header");
	return 0;
}

static int check_tables(const struct elf *elf, struct error *e)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = elf->file.size;

	if (!header->e_phnum)
		return bad(e, "e_phnum", 0, "there is nothing to load");
	if (header->e_phentsize != (elf->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return bad(e, "e_phentsize", header->e_phentsize,
			   "not the size of a program header");
	if (!inside(header->e_phoff, 0, size))
		return bad(e, "e_phoff", header->e_phoff, "outside the file");
	if (!inside(header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize, size))
		return bad(e, "e_phnum", header->e_phnum, "program headers end outside the file");
	if (!header->e_shnum)
		return 0;
	if (header->e_shentsize != (elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return bad(e, "e_shentsize", header->e_shentsize,
			   "not the size of a section header");
	if (!inside(header->e_shoff, 0, size))
		return bad(e, "e_shoff", header->e_shoff, "outside the file");
	if (!inside(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize, size))
		return bad(e, "e_shnum", header->e_shnum, "section headers end outside the file");
	return 0;
}

int elf_open(struct view file, struct elf *elf, struct error *e)
{
	*elf = (struct elf){.file = file};
	if (read_header(elf, e) < 0 || check_kind(elf, e) < 0)
		return -1;
	return check_tables(elf, e);
}

const uint8_t *elf_section(const struct elf *elf, unsigned index)
{
	return elf->file.data + elf->header.e_shoff + (uint64_t)index * elf->header.e_shentsize;
}

Elf64_Phdr elf_segment(const struct elf *elf, unsigned index)
{
	const uint8_t *at = elf->file.data + elf->header.e_phoff +
			    (uint64_t)index * elf->header.e_phentsize;
	Elf32_Phdr narrow;
	Elf64_Phdr wide;

	if (elf->is_64) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return (Elf64_Phdr){
		.p_type = narrow.p_type,
		.p_flags = narrow.p_flags,
		.p_offset = narrow.p_offset,
		.p_vaddr = narrow.p_vaddr,
		.p_paddr = narrow.p_paddr,
		.p_filesz = narrow.p_filesz,
		.p_memsz = narrow.p_memsz,
		.p_align = narrow.p_align,
	};
}

static int bad_segment(struct error *e, unsigned index, const char *field, uint64_t value,
		       const char *should)
{
	return error_set(e, TK_EXIT_USAGE, "ELF program header %u: %s 0x%llx: %s", index, field,
			 (ull)value, should);
}

/* The bytes in the file. A segment without any may state any offset. */
static int check_source(const struct elf *elf, const Elf64_Phdr *segment, unsigned index,
			struct error *e)
{
	uint64_t align = segment->p_align;

	if (segment->p_filesz > segment->p_memsz)
		return bad_segment(e, index, "p_filesz", segment->p_filesz, "larger than p_memsz");
	if (align & (align - 1))
		return bad_segment(e, index, "p_align", align, "not a power of two");
	if (!segment->p_filesz)
		return 0;
	if (!inside(segment->p_offset, 0, elf->file.size))
		return bad_segment(e, index, "p_offset", segment->p_offset, "outside the file");
	if (!inside(segment->p_offset, segment->p_filesz, elf->file.size))
		return bad_segment(e, index, "p_filesz", segment->p_filesz,
				   "ends outside the file");
	if (align && ((segment->p_offset ^ segment->p_vaddr) & (align - 1)))
		return bad_segment(e, index, "p_offset", segment->p_offset,
				   "not congruent to p_vaddr modulo p_align");
	return 0;
}

static int check_target(const Elf64_Phdr *segment, unsigned index, const struct space *space,
			struct error *e)
{
	const struct space_range *taken;

	if (!inside(segment->p_paddr, 0, space->end))
		return bad_segment(e, index, "p_paddr", segment->p_paddr, "outside RAM");
	if (!inside(segment->p_paddr, segment->p_memsz, space->end))
		return bad_segment(e, index, "p_memsz", segment->p_memsz,
				   "ends outside RAM (see --mem)");
	taken = space_overlap(space, segment->p_paddr, segment->p_memsz);
	if (taken)
		return error_set(
			e, TK_EXIT_USAGE,
			"ELF program header %u: p_paddr 0x%llx, p_memsz 0x%llx: overlaps %s "
			"(0x%llx to 0x%llx)",
			index, (ull)segment->p_paddr, (ull)segment->p_memsz, taken->name,
			(ull)taken->start, (ull)taken->end);
	return 0;
}

static int load_segment(const struct elf *elf, const Elf64_Phdr *segment, unsigned index,
			const struct ram *ram, struct space *space, struct error *e)
{
	if (check_source(elf, segment, index, e) < 0 ||
	    check_target(segment, index, space, e) < 0 ||
	    space_take(space, segment->p_paddr, segment->p_memsz, "another segment", e) < 0)
		return -1;
	if (!segment->p_filesz)
		return 0;
	/* What follows up to p_memsz is zero already. Inside RAM by check_target(). */
	memcpy(ram->host + segment->p_paddr, elf->file.data + segment->p_offset, segment->p_filesz);
	return 0;
}

int elf_load(const struct elf *elf, const struct ram *ram, struct space *space, struct error *e)
{
	for (unsigned i = 0; i < elf->header.e_phnum; i++) {
		Elf64_Phdr segment = elf_segment(elf, i);

		if (segment.p_type != PT_LOAD || (!segment.p_memsz && !segment.p_filesz))
			continue;
		if (load_segment(elf, &segment, i, ram, space, e) < 0)
			return -1;
	}
	return 0;
}

static bool is_code(const Elf64_Phdr *segment, uint64_t address, uint64_t start)
{
	return segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && address >= start &&
	       address - start < segment->p_filesz;
}

int elf_entry(const struct elf *elf, const uint32_t *physical, uint32_t *entry, struct error *e)
{
	uint64_t address = physical ? *physical : elf->header.e_entry;

	for (unsigned i = 0; i < elf->header.e_phnum; i++) {
		Elf64_Phdr segment = elf_segment(elf, i);

		/* e_entry is a virtual address: the segment says where that is. */
		if (!is_code(&segment, address, physical ? segment.p_paddr : segment.p_vaddr))
			continue;
		*entry = (uint32_t)(physical ? address
					     : address - segment.p_vaddr + segment.p_paddr);
		return 0;
	}
	return bad(e, physical ? "entry address of the boot header" : "e_entry", address,
		   "not in an executable segment's part of the file");
}
