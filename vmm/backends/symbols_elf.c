/* Symbols of an ELF file (System V gABI, chapter 4, "Symbol Table"): see symbols.h. */
#include <elf.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../loader/elf.h"
#include "symbols.h"

static Elf64_Shdr section_at(const struct elf *elf, unsigned index)
{
	Elf64_Shdr section;

	memcpy(&section, elf_section(elf, index), sizeof(section));
	return section;
}

/* Only what an executable section holds is code. */
static bool is_code(const struct elf *elf, const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < elf->header.e_shnum &&
	       section_at(elf, symbol->st_shndx).sh_flags & SHF_EXECINSTR;
}

/* Functions before labels, and names that all may use before those of one file. */
static uint8_t rank_of(const Elf64_Sym *symbol)
{
	bool label = ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
	unsigned binding = ELF64_ST_BIND(symbol->st_info);

	return (uint8_t)(3 * label + (binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2));
}

static int add(const Elf64_Sym *symbol, struct view names, struct symbols *symbols, struct error *e)
{
	const char *name;
	size_t length;

	if (symbol->st_name >= names.size)
		return error_set(e, TK_EXIT_USAGE, "ELF st_name 0x%x: outside of the names",
				 symbol->st_name);
	name = (const char *)names.data + symbol->st_name;
	length = strnlen(name, names.size - symbol->st_name);
	if (!length)
		return 0;
	return symbols_add(symbols,
			   (struct symbol){.address = symbol->st_value, .rank = rank_of(symbol)},
			   name, length, e);
}

static int slice_section(const struct elf *elf, const Elf64_Shdr *section, struct view *out,
			 struct error *e)
{
	if (view_slice(elf->file, section->sh_offset, section->sh_size, out))
		return error_set(e, TK_EXIT_USAGE, "ELF sh_size 0x%llx: ends outside the file",
				 (unsigned long long)section->sh_size);
	return 0;
}

static int read_table(const struct elf *elf, const Elf64_Shdr *table, struct symbols *symbols,
		      struct error *e)
{
	struct view entries = {0}, names = {0};
	Elf64_Shdr strings;
	Elf64_Sym symbol;

	if (table->sh_link >= elf->header.e_shnum)
		return error_set(e, TK_EXIT_USAGE, "ELF sh_link %u: no such section",
				 table->sh_link);
	strings = section_at(elf, table->sh_link);
	if (slice_section(elf, table, &entries, e) || slice_section(elf, &strings, &names, e))
		return -1;
	for (uint64_t at = 0; entries.size - at >= sizeof(symbol); at += sizeof(symbol)) {
		memcpy(&symbol, entries.data + at, sizeof(symbol));
		if (is_code(elf, &symbol) && add(&symbol, names, symbols, e))
			return -1;
	}
	return 0;
}

static void find_extent(const struct elf *elf, struct symbols *symbols)
{
	symbols->low = UINT64_MAX;
	for (unsigned i = 0; i < elf->header.e_phnum; i++) {
		Elf64_Phdr segment = elf_segment(elf, i);
		uint64_t end;

		if (segment.p_type != PT_LOAD ||
		    __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end))
			continue;
		if (segment.p_vaddr < symbols->low)
			symbols->low = segment.p_vaddr;
		if (end > symbols->high)
			symbols->high = end;
	}
}

int symbols_read_elf(struct view file, struct symbols *symbols, struct error *e)
{
	struct elf elf;

	*symbols = (struct symbols){0};
	if (elf_open(file, &elf, e))
		return -1;
	find_extent(&elf, symbols);
	for (unsigned i = 0; elf.is_64 && i < elf.header.e_shnum; i++) {
		Elf64_Shdr section = section_at(&elf, i);

		if (section.sh_type == SHT_SYMTAB && read_table(&elf, &section, symbols, e)) {
			symbols_free(symbols);
			return -1;
		}
	}
	symbols_sort(symbols);
	return 0;
}
