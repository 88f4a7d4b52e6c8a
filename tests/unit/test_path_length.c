/*
 * Path length: symbols of ELF files and of kallsyms, whose an address is, what the
 * plugin's file may hold, and what a result gets.
 */
#include "images.h"

#include <jansson.h>

#include "vmm/backends/path_length_counts.h"
#include "vmm/backends/path_length_owners.h"
#include "vmm/backends/symbols.h"

/* ---- an ELF file with a symbol table ---- */

#define TEXT_START 0x40000000
#define NAMES	   "\0start\0read_timer\0label\0table\0twin_local"
enum { NAME_START = 1, NAME_READ = 7, NAME_LABEL = 18, NAME_TABLE = 24, NAME_TWIN = 30 };
enum { SECTION_NONE, SECTION_TEXT, SECTION_DATA, SECTION_SYMBOLS, SECTION_NAMES, SECTIONS };
#define SYMBOLS 7

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[SYMBOLS];
	char names[sizeof(NAMES)];
};

static Elf64_Sym symbol(unsigned name, unsigned binding, unsigned type, unsigned section,
			uint64_t address)
{
	return (Elf64_Sym){.st_name = name,
			   .st_info = (unsigned char)ELF64_ST_INFO(binding, type),
			   .st_shndx = (uint16_t)section,
			   .st_value = address};
}

static void fill_symbols(struct file *file)
{
	Elf64_Sym *s = file->symbols;

	s[1] = symbol(NAME_TWIN, STB_LOCAL, STT_FUNC, SECTION_TEXT, TEXT_START + 0x40);
	s[2] = symbol(NAME_READ, STB_GLOBAL, STT_FUNC, SECTION_TEXT, TEXT_START + 0x40);
	s[3] = symbol(NAME_START, STB_GLOBAL, STT_FUNC, SECTION_TEXT, TEXT_START + 0x10);
	s[4] = symbol(NAME_LABEL, STB_LOCAL, STT_NOTYPE, SECTION_TEXT, TEXT_START + 0x80);
	s[5] = symbol(NAME_TABLE, STB_GLOBAL, STT_OBJECT, SECTION_DATA, TEXT_START + 0x60);
	s[6] = symbol(NAME_TABLE, STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0);
}

static void fill_file(struct file *file)
{
	*file = (struct file){
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phoff = offsetof(struct file, segment),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1,
			   .e_shoff = offsetof(struct file, sections),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = SECTIONS},
		.segment = {.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = TEXT_START,
			    .p_memsz = 0x1000},
		.names = NAMES};
	file->sections[SECTION_TEXT] = (Elf64_Shdr){.sh_flags = SHF_ALLOC | SHF_EXECINSTR};
	file->sections[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
						       .sh_link = SECTION_NAMES,
						       .sh_offset = offsetof(struct file, symbols),
						       .sh_size = sizeof(file->symbols)};
	file->sections[SECTION_NAMES] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
						     .sh_offset = offsetof(struct file, names),
						     .sh_size = sizeof(file->names)};
	fill_symbols(file);
}

static struct view view_of(const struct file *file)
{
	return (struct view){.data = (const uint8_t *)file, .size = sizeof(*file)};
}

static void elf_symbols_are_found_by_address(void **state)
{
	struct symbols symbols;
	struct error e = {0};
	struct file file;

	fill_file(&file);
	assert_int_equal(symbols_read_elf(view_of(&file), &symbols, &e), 0);
	assert_int_equal(symbols.count, 3);
	assert_int_equal(symbols.low, TEXT_START);
	assert_int_equal(symbols.high, TEXT_START + 0x1000);
	assert_null(symbols_find(&symbols, TEXT_START + 0xf));
	assert_string_equal(symbols_find(&symbols, TEXT_START + 0x10), "start");
	assert_string_equal(symbols_find(&symbols, TEXT_START + 0x3f), "start");
	/* The global name of two at one address, and no data symbol behind it. */
	assert_string_equal(symbols_find(&symbols, TEXT_START + 0x40), "read_timer");
	assert_string_equal(symbols_find(&symbols, TEXT_START + 0x7f), "read_timer");
	assert_string_equal(symbols_find(&symbols, UINT64_MAX), "label");
	symbols_free(&symbols);
}

static void elf_symbols_are_found_by_name(void **state)
{
	struct symbols symbols;
	struct error e = {0};
	uint64_t address;
	struct file file;

	fill_file(&file);
	assert_int_equal(symbols_read_elf(view_of(&file), &symbols, &e), 0);
	assert_true(symbols_address(&symbols, "read_timer", &address));
	assert_int_equal(address, TEXT_START + 0x40);
	assert_false(symbols_address(&symbols, "table", &address));
	symbols_free(&symbols);
}

static int read_elf(struct view file, void *state, struct error *e)
{
	struct symbols symbols;
	int result = symbols_read_elf(file, &symbols, e);

	if (result == 0)
		symbols_free(&symbols);
	return result;
}

static void a_damaged_elf_is_refused_or_read(void **state)
{
	struct error e = {0};
	struct file file;

	fill_file(&file);
	assert_true(truncate_everywhere(view_of(&file), read_elf, NULL) > sizeof(file) / 2);
	flip_bytes(view_of(&file), 0, sizeof(file), 4000, read_elf, NULL);
	file.symbols[2].st_name = sizeof(file.names);
	assert_int_equal(read_elf(view_of(&file), NULL, &e), -1);
	assert_says(&e, "st_name");
	fill_file(&file);
	file.sections[SECTION_SYMBOLS].sh_link = SECTIONS;
	assert_int_equal(read_elf(view_of(&file), NULL, &e), -1);
	assert_says(&e, "sh_link");
}

/* ---- kallsyms ---- */

static struct view text_view(const char *text)
{
	return (struct view){.data = (const uint8_t *)text, .size = strlen(text)};
}

static void kallsyms_has_functions_and_modules(void **state)
{
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000000 t a_local_twin\n"
				   "ffffffff81000040 D some_data\n"
				   "ffffffff81000080 W weak_one\n"
				   "ffffffffc0300000 t svm_vcpu_run\t[kvm_amd]\n";
	struct symbols symbols;
	struct error e = {0};

	assert_int_equal(symbols_read_kallsyms(text_view(text), &symbols, &e), 0);
	assert_int_equal(symbols.count, 3);
	assert_string_equal(symbols_find(&symbols, 0xffffffff8100007f), "_text");
	assert_string_equal(symbols_find(&symbols, 0xffffffff81000080), "weak_one");
	assert_string_equal(symbols_find(&symbols, 0xffffffffc0300010), "svm_vcpu_run [kvm_amd]");
	symbols_free(&symbols);
}

static void kallsyms_without_addresses_is_empty(void **state)
{
	struct symbols symbols;
	struct error e = {0};

	assert_int_equal(
		symbols_read_kallsyms(text_view("0000000000000000 T _text\n"), &symbols, &e), 0);
	assert_int_equal(symbols.count, 0);
	assert_int_equal(symbols_read_kallsyms(text_view("no symbols here\n"), &symbols, &e), -1);
	assert_says(&e, "ADDRESS TYPE NAME");
}

/* ---- whose an address is ---- */

static void add(struct symbols *symbols, uint64_t address, const char *name)
{
	struct error e = {0};

	assert_int_equal(
		symbols_add(symbols, (struct symbol){.address = address}, name, strlen(name), &e),
		0);
}

static struct path_owners owners_new(void)
{
	struct path_owners owners = {.guest = {.low = 0x100000, .high = 0x180000},
				     .vmm = {.low = 0x40000000, .high = 0x40100000}};

	add(&owners.guest, 0x100000, "guest_main");
	add(&owners.vmm, 0x40001000, "vmm_main");
	add(&owners.kernel, 0xffffffff81000000, "_text");
	return owners;
}

static void assert_owner(const struct path_owners *owners, uint64_t address, enum path_owner owner,
			 const char *symbol)
{
	enum path_owner found;

	assert_string_equal(path_owners_find(owners, address, &found), symbol);
	assert_int_equal(found, owner);
}

static void the_address_tells_the_owner(void **state)
{
	struct path_owners owners = owners_new();

	assert_owner(&owners, 0x8000, OWNER_GUEST, "[low memory]");
	assert_owner(&owners, 0x100000, OWNER_GUEST, "guest_main");
	assert_owner(&owners, 0x17ffff, OWNER_GUEST, "guest_main");
	assert_owner(&owners, 0x180000, OWNER_VMM, "[other user space]");
	assert_owner(&owners, 0x40000000, OWNER_VMM, "[unknown]");
	assert_owner(&owners, 0x400fffff, OWNER_VMM, "vmm_main");
	assert_owner(&owners, 0x40100000, OWNER_VMM, "[other user space]");
	assert_owner(&owners, 0x7ffff7fc1000, OWNER_VMM, "[vdso]");
	assert_owner(&owners, 0xffff800000000000, OWNER_KERNEL, "[unknown]");
	assert_owner(&owners, 0xffffffff81000000, OWNER_KERNEL, "_text");
	path_owners_free(&owners);
}

/* ---- the plugin's file ---- */

static int read_counts(const char *text, struct path_counts *counts, struct error *e)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int result;

	assert_non_null(file);
	result = path_counts_read(file, "counts", counts, e);
	fclose(file);
	return result;
}

static void counts_come_phase_by_phase(void **state)
{
	struct path_counts counts;
	struct error e = {0};

	assert_int_equal(read_counts("tickvm-counts 1\nphase 0\n100000 4096\nffffffff81000000 7\n"
				     "phase 1\nphase 2\n40001000 18446744073709551615\nend 3\n",
				     &counts, &e),
			 0);
	assert_int_equal(counts.phase_count, 3);
	assert_int_equal(counts.starts[1], 2);
	assert_int_equal(counts.starts[2], 2);
	assert_int_equal(counts.starts[3], 3);
	assert_int_equal(counts.list[1].address, 0xffffffff81000000);
	assert_int_equal(counts.list[1].count, 7);
	assert_int_equal(counts.list[2].count, UINT64_MAX);
	path_counts_free(&counts);
}

static void assert_no_counts(const char *text, const char *says)
{
	struct path_counts counts;
	struct error e = {0};

	assert_int_equal(read_counts(text, &counts, &e), -1);
	assert_non_null(strstr(e.text, says));
}

static void counts_that_are_not_whole_are_refused(void **state)
{
	assert_no_counts("tickvm-counts 2\nend 0\n", "not a file of counts");
	assert_no_counts("tickvm-counts 1\nphase 0\n100000 5\n", "did not leave in good order");
	assert_no_counts("tickvm-counts 1\nphase 1\nend 1\n", "phase 1");
	assert_no_counts("tickvm-counts 1\n100000 5\nend 0\n", "100000 5");
	assert_no_counts("tickvm-counts 1\nphase 0\nend 2\n", "end 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elf_symbols_are_found_by_address),
		cmocka_unit_test(elf_symbols_are_found_by_name),
		cmocka_unit_test(a_damaged_elf_is_refused_or_read),
		cmocka_unit_test(kallsyms_has_functions_and_modules),
		cmocka_unit_test(kallsyms_without_addresses_is_empty),
		cmocka_unit_test(the_address_tells_the_owner),
		cmocka_unit_test(counts_come_phase_by_phase),
		cmocka_unit_test(counts_that_are_not_whole_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
