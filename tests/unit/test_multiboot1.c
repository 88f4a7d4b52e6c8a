/* Multiboot 1: its header, and the boot information of QEMU's shape, followed by hand. */
#include "images.h"

#include "vmm/loader/multiboot1.h"

#define FLAGS_OFFSET	(SMALL_HEADER_OFFSET + 4)
#define CHECKSUM_OFFSET (SMALL_HEADER_OFFSET + 8)

struct loaded {
	uint8_t file[SMALL_BYTES_32];
	struct ram ram;
	struct boot_plan plan;
	struct boot_entry entry;
	struct error e;
};

static struct loaded *new_loaded(void)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	loaded->ram = ram_new();
	small_elf32(loaded->file);
	loaded->plan.protocol = BOOT_MULTIBOOT1;
	loaded->plan.kernel = (struct view){.data = loaded->file, .size = sizeof(loaded->file)};
	return loaded;
}

static void free_loaded(struct loaded *loaded)
{
	ram_free(&loaded->ram);
	free(loaded);
}

static int load(struct loaded *loaded)
{
	const struct acpi_config acpi = {.cpus = 1, .ioapic = true, .pmtimer_width = 24};

	return boot_load(&loaded->plan, &acpi, &loaded->ram, &loaded->entry, &loaded->e);
}

static void set_flags(uint8_t *header, uint32_t flags)
{
	put_u32(header, 0x1badb002);
	put_u32(header + 4, flags);
	put_u32(header + 8, -(0x1badb002u + flags));
}

static uint32_t u32_at(const struct loaded *loaded, uint32_t address)
{
	uint32_t value;

	memcpy(&value, loaded->ram.host + address, sizeof(value));
	return value;
}

static const char *string_at(const struct loaded *loaded, uint32_t field)
{
	return (const char *)loaded->ram.host + u32_at(loaded, field);
}

static void information_without_modules(void **state)
{
	struct loaded *loaded = new_loaded();
	uint32_t info, map, length, entries = 0;

	strcpy(loaded->plan.cmdline, "pmtimer.flat 1 2");
	assert_int_equal(load(loaded), 0);
	assert_int_equal(loaded->entry.eax, 0x2badb002);
	assert_int_equal(loaded->entry.eip, SMALL_ENTRY);
	info = loaded->entry.ebx;
	assert_int_equal(u32_at(loaded, info), 0x45); /* memory, command line, memory map */
	assert_int_equal(u32_at(loaded, info + 4), 639);
	assert_int_equal(u32_at(loaded, info + 8), (TEST_RAM_BYTES - 0x100000) / 1024);
	assert_string_equal(string_at(loaded, info + 16), "pmtimer.flat 1 2");
	assert_int_equal(u32_at(loaded, info + 20), 0);
	length = u32_at(loaded, info + 44);
	map = u32_at(loaded, info + 48);
	for (uint32_t at = map; at < map + length; at += 4 + u32_at(loaded, at), entries++)
		assert_int_equal(u32_at(loaded, at), 20);
	/* No RAM above 4 GiB, no page of the pair. */
	assert_int_equal(entries, 6);
	assert_int_equal(u32_at(loaded, map + 12), 0x9fc00);
	free_loaded(loaded);
}

static void information_with_modules(void **state)
{
	struct loaded *loaded = new_loaded();
	uint32_t info, modules;

	loaded->plan.module_count = 2;
	for (unsigned i = 0; i < 2; i++) {
		loaded->plan.modules[i].file = (struct view){.data = (const uint8_t *)"environment",
							     .size = 12};
		snprintf(loaded->plan.modules[i].cmdline, BOOT_CMDLINE_MAX, "module %u", i);
	}
	assert_int_equal(load(loaded), 0);
	info = loaded->entry.ebx;
	assert_int_equal(u32_at(loaded, info), 0x4d);
	assert_int_equal(u32_at(loaded, info + 20), 2);
	modules = u32_at(loaded, info + 24);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t module = modules + 16 * i;
		char name[] = "module 0";

		name[7] = (char)('0' + i);
		assert_string_equal(string_at(loaded, module), "environment");
		assert_int_equal(u32_at(loaded, module + 4) - u32_at(loaded, module), 12);
		assert_int_equal(u32_at(loaded, module) % 4096, 0);
		assert_string_equal(string_at(loaded, module + 8), name);
	}
	assert_string_equal(string_at(loaded, info + 16), "");
	free_loaded(loaded);
}

static void flags_are_checked(void **state)
{
	static const struct {
		uint32_t flags;
		const char *says;
	} vectors[] = {
		{0, NULL},	 {1, NULL},	  {2, NULL},
		{4, "features"}, {8, "features"}, {0x8000, "features"},
		{0x20000, NULL}, /* an upper flag may be ignored */
	};
	struct loaded *loaded = new_loaded();

	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		set_flags(loaded->file + SMALL_HEADER_OFFSET, vectors[i].flags);
		assert_int_equal(load(loaded), vectors[i].says ? -1 : 0);
		if (vectors[i].says)
			assert_says(&loaded->e, vectors[i].says);
	}
	free_loaded(loaded);
}

static void address_fields_come_before_the_elf(void **state)
{
	struct loaded *loaded = new_loaded();
	uint8_t *header = loaded->file + SMALL_HEADER_OFFSET;
	static const uint32_t addresses[] = {0x200000 + SMALL_HEADER_OFFSET, 0x200000, 0, 0,
					     0x200000 + SMALL_DATA_OFFSET};

	set_flags(header, 0x10003);
	memcpy(header + 12, addresses, sizeof(addresses));
	assert_int_equal(load(loaded), 0);
	assert_int_equal(loaded->entry.eip, 0x200000 + SMALL_DATA_OFFSET);
	assert_memory_equal(loaded->ram.host + 0x200000, loaded->file, SMALL_BYTES_32);
	free_loaded(loaded);
}

static void what_is_no_multiboot1_kernel_is_refused(void **state)
{
	struct loaded *loaded = new_loaded();
	uint8_t file64[SMALL_BYTES_64];
	uint8_t short_file[20] = {0};

	loaded->file[CHECKSUM_OFFSET]++;
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "checksum");
	memset(loaded->file + SMALL_HEADER_OFFSET, 0, 12);
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "no multiboot1 header");

	small_elf64(file64);
	set_flags(file64 + SMALL_HEADER_OFFSET, 0);
	loaded->plan.kernel = (struct view){.data = file64, .size = sizeof(file64)};
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "EI_CLASS");

	set_flags(short_file, 0x10000);
	loaded->plan.kernel = (struct view){.data = short_file, .size = sizeof(short_file)};
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "cut short");
	set_flags(short_file, 0);
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "e_ident");
	free_loaded(loaded);
}

static void a_header_is_found_on_4_bytes_in_the_first_8_kib(void **state)
{
	static uint8_t file[0x2010];
	static const uint32_t places[][2] = {{4, 1}, {2, 0}, {0x1ff4, 1}, {0x1ff8, 0}, {0x2000, 0}};
	struct multiboot1_header header;
	struct error e = {0};

	for (unsigned i = 0; i < 5; i++) {
		memset(file, 0, sizeof(file));
		set_flags(file + places[i][0], 3);
		assert_int_equal(multiboot1_find((struct view){.data = file, .size = sizeof(file)},
						 &header, &e),
				 places[i][1]);
	}
}

static int reader(struct view file, void *state, struct error *e)
{
	struct loaded *loaded = state;
	int result;

	loaded->plan.kernel = file;
	loaded->e = (struct error){0};
	result = load(loaded);
	*e = loaded->e;
	return result;
}

static void damage_does_no_harm(void **state)
{
	struct loaded *loaded = new_loaded();
	uint8_t file[SMALL_BYTES_32];
	static const uint32_t addresses[] = {0x200000 + SMALL_HEADER_OFFSET, 0x200000, 0x200180,
					     0x201000, 0x200000 + SMALL_HEADER_OFFSET};

	small_elf32(file);
	assert_int_equal(truncate_everywhere((struct view){.data = file, .size = sizeof(file)},
					     reader, loaded),
			 sizeof(file));
	/* The same by address fields: whole as long as load_end_addr is in the file. */
	set_flags(file + SMALL_HEADER_OFFSET, 0x10003);
	memcpy(file + SMALL_HEADER_OFFSET + 12, addresses, sizeof(addresses));
	assert_int_equal(truncate_everywhere((struct view){.data = file, .size = sizeof(file)},
					     reader, loaded),
			 0x180);
	assert_in_range(flip_bytes((struct view){.data = file, .size = sizeof(file)},
				   SMALL_HEADER_OFFSET, SMALL_HEADER_OFFSET + 32, 2000, reader,
				   loaded),
			200, 2000);
	free_loaded(loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(information_without_modules),
		cmocka_unit_test(information_with_modules),
		cmocka_unit_test(flags_are_checked),
		cmocka_unit_test(address_fields_come_before_the_elf),
		cmocka_unit_test(what_is_no_multiboot1_kernel_is_refused),
		cmocka_unit_test(a_header_is_found_on_4_bytes_in_the_first_8_kib),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests_name("multiboot1", tests, NULL, NULL);
}
