/* The ELF loader: what it refuses, by field (BC-24), and what is odd but legal. */
#include "images.h"

#include "vmm/loader/elf.h"

#define EHDR(field)	   offsetof(Elf64_Ehdr, field)
#define WIDTH(type, field) sizeof(((type *)0)->field)

static int load(struct view file, struct ram *ram, uint32_t *entry, struct error *e)
{
	struct space space;
	struct elf elf;

	space_init(&space, ram->low_size);
	if (elf_open(file, &elf, e) < 0 || elf_load(&elf, ram, &space, e) < 0)
		return -1;
	return elf_entry(&elf, NULL, entry, e);
}

static int reader(struct view file, void *state, struct error *e)
{
	uint32_t entry;

	return load(file, state, &entry, e);
}

static void loads_each_segment_where_it_says(void **state)
{
	uint8_t file[SMALL_BYTES_64];
	struct ram ram = ram_new();
	struct error e = {0};
	uint32_t entry;

	small_elf64(file);
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 0);
	assert_int_equal(entry, SMALL_ENTRY);
	assert_memory_equal(ram.host + SMALL_TEXT, file, SMALL_TEXT_BYTES);
	assert_int_equal(ram.host[SMALL_TEXT + SMALL_TEXT_BYTES], 0);
	assert_memory_equal(ram.host + SMALL_DATA, file + SMALL_DATA_OFFSET, SMALL_DATA_BYTES);
	assert_int_equal(ram.host[SMALL_DATA + SMALL_DATA_BYTES], 0);
	ram_free(&ram);
}

static void loads_32_bits_too(void **state)
{
	uint8_t file[SMALL_BYTES_32];
	struct ram ram = ram_new();
	struct error e = {0};
	uint32_t entry;

	small_elf32(file);
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 0);
	assert_int_equal(entry, SMALL_ENTRY);
	assert_memory_equal(ram.host + SMALL_DATA, file + SMALL_DATA_OFFSET, SMALL_DATA_BYTES);
	ram_free(&ram);
}

static void entry_is_translated_to_its_physical_address(void **state)
{
	uint8_t file[SMALL_BYTES_64];
	uint64_t high = UINT64_C(0xffffffff80000000);
	struct ram ram = ram_new();
	struct error e = {0};
	uint64_t value = high;
	uint32_t entry;

	small_elf64(file);
	memcpy(file + SMALL_PHDR(0, p_vaddr), &value, sizeof(value));
	value = high + SMALL_ENTRY - SMALL_TEXT;
	memcpy(file + EHDR(e_entry), &value, sizeof(value));
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 0);
	assert_int_equal(entry, SMALL_ENTRY);
	ram_free(&ram);
}

/* One field of the good file changed. `says`: NULL when it still loads. */
struct vector {
	size_t offset, width;
	uint64_t value;
	const char *says;
};
#define HEADER(field, value, says)                                 \
	{                                                          \
		EHDR(field), WIDTH(Elf64_Ehdr, field), value, says \
	}
#define IDENT(index, value, says)     \
	{                             \
		index, 1, value, says \
	}
#define TEXT(field, value, says)                                            \
	{                                                                   \
		SMALL_PHDR(0, field), WIDTH(Elf64_Phdr, field), value, says \
	}
#define DATA(field, value, says)                                            \
	{                                                                   \
		SMALL_PHDR(1, field), WIDTH(Elf64_Phdr, field), value, says \
	}

static const struct vector vectors[] = {
	IDENT(EI_MAG1, 'e', "e_ident"),
	IDENT(EI_CLASS, 0, "EI_CLASS"),
	IDENT(EI_CLASS, 3, "EI_CLASS"),
	IDENT(EI_CLASS, ELFCLASS32, "e_machine"),
	IDENT(EI_DATA, ELFDATA2MSB, "EI_DATA"),
	IDENT(EI_VERSION, 0, "EI_VERSION"),
	HEADER(e_type, ET_REL, "e_type"),
	HEADER(e_type, ET_DYN, "e_type"),
	HEADER(e_machine, EM_386, "e_machine"),
	HEADER(e_machine, EM_AARCH64, "e_machine"),
	HEADER(e_version, 2, "e_version"),
	HEADER(e_ehsize, 52, "e_ehsize"),

	HEADER(e_entry, 0, "e_entry"),
	HEADER(e_entry, SMALL_TEXT - 1, "e_entry"),
	HEADER(e_entry, SMALL_TEXT, NULL),
	HEADER(e_entry, SMALL_TEXT + SMALL_TEXT_BYTES - 1, NULL),
	HEADER(e_entry, SMALL_TEXT + SMALL_TEXT_BYTES, "e_entry"),
	HEADER(e_entry, SMALL_DATA, "e_entry"),
	HEADER(e_entry, UINT32_MAX, "e_entry"),
	HEADER(e_entry, UINT64_C(1) << 63, "e_entry"),
	HEADER(e_entry, UINT64_MAX, "e_entry"),

	HEADER(e_phoff, 0, "e_entry"), /* the ELF header, read as segments: none to load */
	HEADER(e_phoff, SMALL_BYTES_64 - 1, "e_phnum"),
	HEADER(e_phoff, SMALL_BYTES_64, "e_phnum"),
	HEADER(e_phoff, SMALL_BYTES_64 + 1, "e_phoff"),
	HEADER(e_phoff, UINT32_MAX, "e_phoff"),
	HEADER(e_phoff, UINT64_C(1) << 63, "e_phoff"),
	HEADER(e_phoff, UINT64_MAX, "e_phoff"),
	HEADER(e_phoff, UINT64_MAX - 55, "e_phoff"),
	HEADER(e_phnum, 0, "e_phnum"),
	HEADER(e_phnum, 1, NULL),
	HEADER(e_phnum, UINT16_MAX, "e_phnum"),
	HEADER(e_phentsize, 0, "e_phentsize"),
	HEADER(e_phentsize, 1, "e_phentsize"),
	HEADER(e_phentsize, 55, "e_phentsize"),
	HEADER(e_phentsize, 57, "e_phentsize"),
	HEADER(e_phentsize, UINT16_MAX, "e_phentsize"),
	HEADER(e_shoff, SMALL_BYTES_64 + 1, "e_shoff"),
	HEADER(e_shoff, UINT64_MAX, "e_shoff"),
	HEADER(e_shnum, 0, NULL),
	HEADER(e_shnum, 3, "e_shnum"),
	HEADER(e_shentsize, 63, "e_shentsize"),

	TEXT(p_offset, 1, "p_offset"),
	TEXT(p_offset, SMALL_BYTES_64 - 1, "p_filesz"),
	TEXT(p_offset, SMALL_BYTES_64, "p_filesz"),
	TEXT(p_offset, SMALL_BYTES_64 + 1, "p_offset"),
	TEXT(p_offset, UINT32_MAX, "p_offset"),
	TEXT(p_offset, UINT64_C(1) << 63, "p_offset"),
	TEXT(p_offset, UINT64_MAX, "p_offset"),
	TEXT(p_offset, UINT64_MAX - SMALL_TEXT_BYTES + 1, "p_offset"),
	TEXT(p_filesz, 0, "e_entry"),
	TEXT(p_filesz, 1, "e_entry"),
	TEXT(p_filesz, SMALL_TEXT_BYTES + 1, "p_filesz"),
	TEXT(p_filesz, UINT64_MAX, "p_filesz"),
	TEXT(p_memsz, 0, "p_filesz"),
	TEXT(p_memsz, 1, "p_filesz"),
	TEXT(p_memsz, SMALL_TEXT_BYTES - 1, "p_filesz"),
	TEXT(p_memsz, SMALL_DATA - SMALL_TEXT, NULL),	  /* up to the next segment */
	DATA(p_memsz, TEST_RAM_BYTES - SMALL_DATA, NULL), /* up to RAM's last byte */
	DATA(p_memsz, TEST_RAM_BYTES - SMALL_DATA + 1, "p_memsz"),
	DATA(p_memsz, UINT32_MAX, "p_memsz"),
	DATA(p_memsz, UINT64_C(1) << 63, "p_memsz"),
	DATA(p_memsz, UINT64_MAX, "p_memsz"),
	DATA(p_memsz, UINT64_MAX - SMALL_DATA + 1, "p_memsz"),
	DATA(p_filesz, 0, NULL), /* zeroed memory only */
	DATA(p_align, 3, "p_align"),
	DATA(p_align, UINT64_MAX, "p_align"),
	DATA(p_align, 0, NULL),
	DATA(p_align, 1, NULL),
	DATA(p_align, 0x10000, "p_offset"), /* no longer congruent */

	DATA(p_paddr, 0, "page zero"),
	DATA(p_paddr, 1, "page zero"),
	DATA(p_paddr, 0xfff, "page zero"),
	DATA(p_paddr, 0x1000, NULL),
	DATA(p_paddr, SPACE_CONVENTIONAL_END - SMALL_DATA_MEMORY, NULL),
	DATA(p_paddr, SPACE_CONVENTIONAL_END - SMALL_DATA_MEMORY + 1, "ACPI area"),
	DATA(p_paddr, 0xe0000, "ACPI area"),
	DATA(p_paddr, 0xfffff, "ACPI area"),
	DATA(p_paddr, SMALL_TEXT + SMALL_TEXT_BYTES, NULL),
	DATA(p_paddr, SMALL_TEXT + SMALL_TEXT_BYTES - 1, "another segment"),
	DATA(p_paddr, TEST_RAM_BYTES - SMALL_DATA_MEMORY, NULL),
	DATA(p_paddr, TEST_RAM_BYTES - SMALL_DATA_MEMORY + 1, "p_memsz"),
	DATA(p_paddr, TEST_RAM_BYTES - 1, "p_memsz"),
	DATA(p_paddr, TEST_RAM_BYTES, "p_memsz"),
	DATA(p_paddr, TEST_RAM_BYTES + 1, "p_paddr"),
	DATA(p_paddr, UINT32_MAX, "p_paddr"),
	DATA(p_paddr, UINT64_C(1) << 63, "p_paddr"),
	DATA(p_paddr, UINT64_MAX, "p_paddr"),
	DATA(p_paddr, UINT64_MAX - SMALL_DATA_MEMORY + 1, "p_paddr"),
};

static void each_bad_field_is_named(void **state)
{
	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct vector *vector = &vectors[i];
		uint8_t file[SMALL_BYTES_64];
		struct ram ram = ram_new();
		struct error e = {0};
		uint32_t entry;
		int result;

		small_elf64(file);
		memcpy(file + vector->offset, &vector->value, vector->width);
		result = load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e);
		if (vector->says && !result)
			fail_msg("vector %u (%s) was loaded", i, vector->says);
		if (!vector->says && result)
			fail_msg("vector %u was refused: %s", i, e.text);
		if (vector->says)
			assert_says(&e, vector->says);
		ram_free(&ram);
	}
}

/* Neither its address nor its offset means anything. */
static void a_segment_of_no_size_is_ignored(void **state)
{
	const Elf64_Phdr nothing = {PT_LOAD, PF_R, UINT64_MAX, 1, UINT64_MAX, 0, 0, 0x1000};
	uint8_t file[SMALL_BYTES_64];
	struct ram ram = ram_new();
	struct error e = {0};
	uint32_t entry;

	small_elf64(file);
	memcpy(file + SMALL_PHDR(1, p_type), &nothing, sizeof(nothing));
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 0);
	ram_free(&ram);
}

/* Without bytes in the file there is nothing that an offset could say. */
static void zeroed_memory_may_state_any_offset(void **state)
{
	const Elf64_Phdr memory = {PT_LOAD,    PF_R | PF_W, UINT64_MAX - 1, SMALL_DATA,
				   SMALL_DATA, 0,	    0x1000,	    0x1000};
	uint8_t file[SMALL_BYTES_64];
	struct ram ram = ram_new();
	struct error e = {0};
	uint32_t entry;

	small_elf64(file);
	memcpy(file + SMALL_PHDR(1, p_type), &memory, sizeof(memory));
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 0);
	ram_free(&ram);
}

/* A boot header's own entry is physical, and is held to the same rule. */
static void a_physical_entry_is_checked(void **state)
{
	uint32_t good = SMALL_TEXT, bad = SMALL_DATA, entry = 0;
	uint8_t file[SMALL_BYTES_64];
	struct error e = {0};
	struct elf elf;

	small_elf64(file);
	assert_int_equal(elf_open((struct view){.data = file, .size = sizeof(file)}, &elf, &e), 0);
	assert_int_equal(elf_entry(&elf, &good, &entry, &e), 0);
	assert_int_equal(entry, SMALL_TEXT);
	assert_int_equal(elf_entry(&elf, &bad, &entry, &e), -1);
	assert_says(&e, "entry address of the boot header");
}

/* 65 segments of a byte each, apart. */
static void too_many_segments_are_refused(void **state)
{
	enum { COUNT = SPACE_RANGES_MAX + 1 };
	static uint8_t file[sizeof(Elf64_Ehdr) + COUNT * sizeof(Elf64_Phdr)];
	uint8_t small[SMALL_BYTES_64];
	struct ram ram = ram_new();
	Elf64_Ehdr header;
	struct error e = {0};
	uint32_t entry;

	small_elf64(small);
	memcpy(&header, small, sizeof(header));
	header.e_phnum = COUNT;
	header.e_shnum = 0;
	memcpy(file, &header, sizeof(header));
	for (unsigned i = 0; i < COUNT; i++) {
		const Elf64_Phdr segment = {PT_LOAD, PF_R, 0, 0, SMALL_TEXT + 2 * i, 1, 1, 1};

		memcpy(file + SMALL_PHDR(i, p_type), &segment, sizeof(segment));
	}
	assert_int_equal(load((struct view){.data = file, .size = sizeof(file)}, &ram, &entry, &e),
			 -1);
	assert_says(&e, "parts to load");
	ram_free(&ram);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	uint8_t file[SMALL_BYTES_64], file32[SMALL_BYTES_32];
	struct ram ram = ram_new();

	small_elf64(file);
	small_elf32(file32);
	/* The section headers come last, so no shorter file is whole. */
	assert_int_equal(truncate_everywhere((struct view){.data = file, .size = sizeof(file)},
					     reader, &ram),
			 sizeof(file));
	assert_int_equal(truncate_everywhere((struct view){.data = file32, .size = sizeof(file32)},
					     reader, &ram),
			 sizeof(file32));
	ram_free(&ram);
}

static void flipped_bytes_do_no_harm(void **state)
{
	uint8_t file[SMALL_BYTES_64], file32[SMALL_BYTES_32];
	struct ram ram = ram_new();

	small_elf64(file);
	small_elf32(file32);
	assert_in_range(flip_bytes((struct view){.data = file, .size = sizeof(file)}, 0,
				   SMALL_HEADER_OFFSET, 20000, reader, &ram),
			1000, 20000);
	assert_in_range(flip_bytes((struct view){.data = file32, .size = sizeof(file32)}, 0,
				   SMALL_HEADER_OFFSET, 20000, reader, &ram),
			1000, 20000);
	ram_free(&ram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_each_segment_where_it_says),
		cmocka_unit_test(loads_32_bits_too),
		cmocka_unit_test(entry_is_translated_to_its_physical_address),
		cmocka_unit_test(each_bad_field_is_named),
		cmocka_unit_test(a_segment_of_no_size_is_ignored),
		cmocka_unit_test(zeroed_memory_may_state_any_offset),
		cmocka_unit_test(a_physical_entry_is_checked),
		cmocka_unit_test(too_many_segments_are_refused),
		cmocka_unit_test(a_file_cut_anywhere_is_refused),
		cmocka_unit_test(flipped_bytes_do_no_harm),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
