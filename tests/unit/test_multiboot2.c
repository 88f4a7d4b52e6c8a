/* Multiboot2: the header's tags and their bounds; the boot information, walked by other code. */
#include "images.h"

#include "vmm/loader/multiboot2.h"
#include "vmm/machine_map.h"

#define MAGIC	   0xe85250d6u
#define FILE_BYTES 512
#define OPTIONAL   1
#define HEADER_AT  0x40

/* ---- headers ---- */

struct file {
	uint8_t bytes[FILE_BYTES];
	uint32_t length; /* of the header so far */
};

static void add_words(struct file *file, const uint32_t *words, unsigned count)
{
	memcpy(file->bytes + HEADER_AT + file->length, words, count * sizeof(*words));
	file->length += count * (uint32_t)sizeof(*words);
}

static void begin(struct file *file)
{
	*file = (struct file){.length = 16};
}

static void add_tag(struct file *file, uint16_t type, uint16_t flags, const uint32_t *words,
		    unsigned count)
{
	const uint32_t head[2] = {type | (uint32_t)flags << 16, 8 + count * 4};

	file->length = (file->length + 7) & -8u;
	add_words(file, head, 2);
	if (count)
		add_words(file, words, count);
}

static void end_header(struct file *file, uint32_t architecture, uint32_t length)
{
	const uint32_t head[4] = {MAGIC, architecture, length, -(MAGIC + architecture + length)};

	memcpy(file->bytes + HEADER_AT, head, sizeof(head));
}

static void end(struct file *file)
{
	add_tag(file, 0, 0, NULL, 0);
	end_header(file, 0, file->length);
}

static struct view view_of(const struct file *file)
{
	return (struct view){.data = file->bytes, .size = FILE_BYTES};
}

/* One tag, then the end. */
static int find_with(uint16_t type, uint16_t flags, const uint32_t *words, unsigned count,
		     struct multiboot2_header *header, struct error *e)
{
	struct file file;

	begin(&file);
	add_tag(&file, type, flags, words, count);
	end(&file);
	return multiboot2_find(view_of(&file), header, e);
}

static void a_header_is_found_on_8_bytes_in_the_first_32_kib(void **state)
{
	static uint8_t file[0x8020];
	struct multiboot2_header header;
	struct error e = {0};
	static const uint32_t places[][2] = {{0, 1}, {8, 1}, {4, 0}, {0x7fe8, 1}, {0x8000, 0}};

	for (unsigned i = 0; i < 5; i++) {
		memset(file, 0, sizeof(file));
		put_multiboot2(file + places[i][0]);
		assert_int_equal(multiboot2_find((struct view){.data = file, .size = sizeof(file)},
						 &header, &e),
				 places[i][1]);
	}
	/* It begins inside, and ends outside. */
	memset(file, 0, sizeof(file));
	put_multiboot2(file + 0x7ff0);
	assert_int_equal(
		multiboot2_find((struct view){.data = file, .size = sizeof(file)}, &header, &e),
		-1);
	assert_says(&e, "header length");
}

static void a_wrong_checksum_is_named_unless_a_right_header_follows(void **state)
{
	struct multiboot2_header header;
	uint8_t file[128] = {0};
	struct error e = {0};

	put_multiboot2(file);
	file[12]++;
	assert_int_equal(
		multiboot2_find((struct view){.data = file, .size = sizeof(file)}, &header, &e),
		-1);
	assert_says(&e, "checksum");
	put_multiboot2(file + 64);
	assert_int_equal(
		multiboot2_find((struct view){.data = file, .size = sizeof(file)}, &header, &e), 1);
}

static void wrong_lengths_are_refused(void **state)
{
	static const uint32_t lengths[] = {0, 15, FILE_BYTES - HEADER_AT + 1, UINT32_MAX};
	struct multiboot2_header header;
	struct error e = {0};
	struct file file;

	begin(&file);
	end_header(&file, 4, 16); /* MIPS */
	assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
	assert_says(&e, "architecture");

	for (unsigned i = 0; i < 4; i++) {
		begin(&file);
		end_header(&file, 0, lengths[i]);
		assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
		assert_says(&e, "header length");
	}
	/* Without an end tag: none at all, or a last tag that is padded past the end. */
	begin(&file);
	end_header(&file, 0, 16);
	assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
	assert_says(&e, "no end tag");
	begin(&file);
	add_tag(&file, 3, 0, (uint32_t[]){SMALL_ENTRY}, 1);
	end_header(&file, 0, file.length);
	assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
	assert_says(&e, "no end tag");
}

static void wrong_tag_sizes_are_refused(void **state)
{
	static const uint32_t sizes[] = {0, 7, 300, UINT32_MAX};
	struct multiboot2_header header;
	struct error e = {0};
	struct file file;

	for (unsigned i = 0; i < 4; i++) {
		begin(&file);
		add_tag(&file, 3, 0, (uint32_t[]){SMALL_ENTRY}, 1);
		put_u32(file.bytes + HEADER_AT + 20, sizes[i]);
		end(&file);
		assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
		assert_says(&e, "tag size");
	}
	/* The second tag is larger than what is left, but not than all. */
	begin(&file);
	add_tag(&file, 3, 0, (uint32_t[]){SMALL_ENTRY}, 1);
	add_tag(&file, 3, 0, (uint32_t[]){SMALL_ENTRY}, 1);
	put_u32(file.bytes + HEADER_AT + 36, 32);
	end(&file);
	assert_int_equal(multiboot2_find(view_of(&file), &header, &e), -1);
	assert_says(&e, "tag size 0x20");
	assert_int_equal(find_with(2, 0, (uint32_t[]){1, 2, 3}, 3, &header, &e), -1);
	assert_says(&e, "address tag's size");
	assert_int_equal(find_with(3, 0, NULL, 0, &header, &e), -1);
	assert_says(&e, "entry tag's size");
	assert_int_equal(find_with(4, 0, NULL, 0, &header, &e), -1);
	assert_says(&e, "console tag's size");
}

static void tags_say_what_the_kernel_needs(void **state)
{
	static const uint32_t given[] = {1, 2, 3, 4, 6, 9, 14, 15}, framebuffer[] = {6, 8};
	struct multiboot2_header header;
	struct error e = {0};

	assert_int_equal(find_with(1, 0, given, 8, &header, &e), 1);
	assert_int_equal(find_with(1, OPTIONAL, framebuffer, 2, &header, &e), 1);
	assert_int_equal(find_with(1, 0, framebuffer, 2, &header, &e), -1);
	assert_says(&e, "boot information of type 0x8");
	assert_int_equal(find_with(3, 0, (uint32_t[]){0x123456}, 1, &header, &e), 1);
	assert_true(header.has_entry && header.entry == 0x123456);
	assert_int_equal(find_with(4, 0, (uint32_t[]){2}, 1, &header, &e), 1);
	assert_int_equal(find_with(4, 0, (uint32_t[]){3}, 1, &header, &e), -1);
	assert_says(&e, "console");
	assert_int_equal(find_with(4, OPTIONAL, (uint32_t[]){3}, 1, &header, &e), 1);
	for (uint16_t type = 6; type <= 10; type++)
		assert_int_equal(find_with(type, 0, given, 4, &header, &e), type == 7 ? -1 : 1);
	assert_int_equal(find_with(5, 0, given, 3, &header, &e), -1);
	assert_says(&e, "unknown tag 0x5");
	assert_int_equal(find_with(99, OPTIONAL, given, 3, &header, &e), 1);
}

static void an_address_tag_gives_the_flat_image(void **state)
{
	struct multiboot2_header header;
	struct error e = {0};

	assert_int_equal(
		find_with(2, 0, (uint32_t[]){0x100040, 0x100000, 0, 0x200000}, 4, &header, &e), 1);
	assert_true(header.has_addresses);
	assert_int_equal(header.addresses.load_addr, 0x100000);
	assert_int_equal(header.addresses.bss_end_addr, 0x200000);
	assert_int_equal(header.addresses.header_offset, HEADER_AT);
	/* All ones: from the file's first byte. */
	assert_int_equal(find_with(2, 0, (uint32_t[]){0x100040, UINT32_MAX, 0, 0}, 4, &header, &e),
			 1);
	assert_int_equal(header.addresses.load_addr, 0x100040 - HEADER_AT);
	assert_int_equal(
		find_with(2, 0, (uint32_t[]){HEADER_AT - 1, UINT32_MAX, 0, 0}, 4, &header, &e), -1);
	assert_says(&e, "header_addr");
}

static int reader(struct view file, void *state, struct error *e)
{
	struct multiboot2_header header;

	return multiboot2_find(file, &header, e);
}

static void damage_does_no_harm(void **state)
{
	struct file file;

	begin(&file);
	add_tag(&file, 1, 0, (uint32_t[]){1, 2, 3}, 3);
	add_tag(&file, 2, 0, (uint32_t[]){0x100040, 0x100000, 0, 0x200000}, 4);
	add_tag(&file, 3, 0, (uint32_t[]){0x100080}, 1);
	add_tag(&file, 4, OPTIONAL, (uint32_t[]){1}, 1);
	end(&file);
	assert_int_equal(multiboot2_find(view_of(&file), &(struct multiboot2_header){0}, NULL), 1);
	/* Cut inside the header: refused; before it ends: not found. */
	assert_int_equal(truncate_everywhere(view_of(&file), reader, NULL), file.length - 16);
	assert_in_range(
		flip_bytes(view_of(&file), HEADER_AT, HEADER_AT + file.length, 20000, reader, NULL),
		1000, 20000);
}

/* ---- boot information ---- */

/* Finds the nth tag of a type; checks what all tags must be on the way. */
static const uint8_t *find_tag(const uint8_t *info, uint32_t wanted, unsigned nth, uint32_t *size)
{
	uint32_t total, at = 8;

	memcpy(&total, info, sizeof(total));
	while (at + 8 <= total) {
		uint32_t head[2];

		memcpy(head, info + at, sizeof(head));
		assert_true(head[1] >= 8 && head[1] <= total - at);
		if (head[0] == wanted && !nth--) {
			*size = head[1];
			return info + at + 8;
		}
		if (!head[0]) {
			assert_int_equal(at + 8, total); /* the end is the end */
			return NULL;
		}
		at = (at + head[1] + 7) & ~7u;
	}
	fail_msg("no end tag");
	return NULL;
}

static uint32_t u32_at(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

struct loaded {
	uint8_t file[SMALL_BYTES_64];
	struct ram ram;
	struct boot_plan plan;
	struct acpi_config acpi;
	struct boot_entry entry;
	struct error e;
};

static int load(struct loaded *loaded)
{
	loaded->acpi =
		(struct acpi_config){.cpus = 2, .ioapic = true, .pair = true, .pmtimer_width = 32};
	loaded->plan.kernel = (struct view){.data = loaded->file, .size = sizeof(loaded->file)};
	loaded->plan.protocol = BOOT_MULTIBOOT2;
	return boot_load(&loaded->plan, &loaded->acpi, &loaded->ram, &loaded->entry, &loaded->e);
}

static struct loaded *new_loaded(void)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	loaded->ram = ram_new();
	small_elf64(loaded->file);
	return loaded;
}

static void free_loaded(struct loaded *loaded)
{
	ram_free(&loaded->ram);
	free(loaded);
}

static void information_is_complete(void **state)
{
	struct loaded *loaded = new_loaded();
	static const uint8_t module[5000] = {1, 2, 3};
	const uint8_t *info, *tag;
	uint32_t size, start;

	strcpy(loaded->plan.cmdline, "app=hello x=\"a b\"");
	loaded->plan.module_count = 2;
	loaded->plan.modules[0].file = (struct view){.data = module, .size = sizeof(module)};
	strcpy(loaded->plan.modules[0].cmdline, "first");
	loaded->plan.modules[1].file = (struct view){.data = module, .size = 2};
	assert_int_equal(load(loaded), 0);
	assert_int_equal(loaded->entry.eax, 0x36d76289);
	assert_int_equal(loaded->entry.eip, SMALL_ENTRY);
	assert_int_equal(loaded->entry.ebx % 8, 0);
	info = loaded->ram.host + loaded->entry.ebx;

	assert_string_equal((const char *)find_tag(info, 1, 0, &size), "app=hello x=\"a b\"");
	assert_string_equal((const char *)find_tag(info, 2, 0, &size), "tickvm");
	tag = find_tag(info, 3, 0, &size);
	start = u32_at(tag);
	assert_int_equal(start % 4096, 0);
	assert_int_equal(u32_at(tag + 4) - start, sizeof(module));
	assert_memory_equal(loaded->ram.host + start, module, sizeof(module));
	assert_string_equal((const char *)tag + 8, "first");
	tag = find_tag(info, 3, 1, &size);
	assert_true(u32_at(tag) >= start + sizeof(module));
	assert_string_equal((const char *)tag + 8, "");
	assert_null(find_tag(info, 3, 2, &size));
	tag = find_tag(info, 4, 0, &size);
	assert_int_equal(u32_at(tag), 639);
	assert_int_equal(u32_at(tag + 4), (TEST_RAM_BYTES - 0x100000) / 1024);
	tag = find_tag(info, 9, 0, &size);
	assert_int_equal(u32_at(tag), 2);
	assert_int_equal(u32_at(tag + 4), sizeof(Elf64_Shdr));
	assert_int_equal(u32_at(tag + 8), 1);
	assert_memory_equal(tag + 12, loaded->file + SMALL_SECTIONS, 2 * sizeof(Elf64_Shdr));
	tag = find_tag(info, 14, 0, &size);
	assert_int_equal(size, 8 + 20);
	assert_memory_equal(tag, loaded->ram.host + MAP_ACPI_BASE, 20);
	tag = find_tag(info, 15, 0, &size);
	assert_int_equal(size, 8 + 36);
	assert_memory_equal(tag, loaded->ram.host + MAP_ACPI_BASE, 36);
	free_loaded(loaded);
}

struct map_entry {
	uint64_t base, length;
	uint32_t type, reserved;
};

static unsigned read_map(struct loaded *loaded, struct map_entry *map)
{
	const uint8_t *tag;
	uint32_t size;

	assert_int_equal(load(loaded), 0);
	tag = find_tag(loaded->ram.host + loaded->entry.ebx, 6, 0, &size);
	assert_int_equal(u32_at(tag), sizeof(*map));
	assert_int_equal(u32_at(tag + 4), 0);
	assert_true(size - 16 <= 8 * sizeof(*map));
	memcpy(map, tag + 8, size - 16);
	return (size - 16) / sizeof(*map);
}

static void memory_map_has_ram_and_what_is_reserved(void **state)
{
	struct loaded *loaded = new_loaded();
	struct map_entry map[8];
	unsigned count;

	loaded->ram.high_size = 0x40000000;
	count = read_map(loaded, map);
	assert_int_equal(count, 8);
	for (unsigned i = 1; i < count; i++)
		assert_true(map[i - 1].base + map[i - 1].length <= map[i].base);
	assert_true(!map[0].base && map[0].length == 0x9fc00 && map[0].type == 1);
	assert_true(map[1].base == 0x9fc00 && map[1].length == 0x60400 && map[1].type == 2);
	assert_true(map[2].base == 0x100000 && map[2].type == 1);
	assert_int_equal(map[2].length, TEST_RAM_BYTES - 0x100000);
	assert_true(map[3].base == MAP_IOAPIC_BASE && map[3].type == 2);
	assert_true(map[7].base == RAM_HIGH_BASE && map[7].type == 1);
	assert_int_equal(map[7].length, 0x40000000);
	free_loaded(loaded);
}

static void information_moves_out_of_a_kernels_way(void **state)
{
	struct loaded *loaded = new_loaded();
	uint64_t low = 0x1000, room = SPACE_CONVENTIONAL_END - 0x1000;

	/* A segment over all conventional memory. */
	memcpy(loaded->file + SMALL_PHDR(1, p_paddr), &low, sizeof(low));
	memcpy(loaded->file + SMALL_PHDR(1, p_memsz), &room, sizeof(room));
	assert_int_equal(load(loaded), 0);
	assert_true(loaded->entry.ebx >= SMALL_TEXT + SMALL_TEXT_BYTES);
	free_loaded(loaded);
}

static void no_room_is_refused(void **state)
{
	struct loaded *loaded = new_loaded();
	uint64_t low = 0x1000, room = SPACE_CONVENTIONAL_END - 0x1000;

	/* A segment over all conventional memory, another to within 128 bytes of RAM's end. */
	memcpy(loaded->file + SMALL_PHDR(1, p_paddr), &low, sizeof(low));
	memcpy(loaded->file + SMALL_PHDR(1, p_memsz), &room, sizeof(room));
	room = TEST_RAM_BYTES - SMALL_TEXT - 128;
	memcpy(loaded->file + SMALL_PHDR(0, p_memsz), &room, sizeof(room));
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "boot information");

	loaded->plan.module_count = 1;
	loaded->plan.modules[0].file = loaded->plan.kernel;
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "module");
	free_loaded(loaded);
}

static void too_little_memory_is_refused(void **state)
{
	struct loaded *loaded = new_loaded();

	loaded->ram.low_size = 0x100000;
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "memory");
	free_loaded(loaded);
}

/* ---- images without ELF ---- */

static void add_flat(struct file *file, uint32_t load_addr, uint32_t load_end, uint32_t bss_end,
		     bool entry)
{
	begin(file);
	add_tag(file, 2, 0, (uint32_t[]){SMALL_TEXT + HEADER_AT, load_addr, load_end, bss_end}, 4);
	if (entry)
		add_tag(file, 3, 0, (uint32_t[]){SMALL_TEXT + 0x100}, 1);
	end(file);
	memset(file->bytes + 0x100, 0x90, 16);
}

static int load_flat(struct loaded *loaded, const struct file *file)
{
	struct error none = {0};

	loaded->e = none;
	loaded->plan.kernel = view_of(file);
	loaded->acpi = (struct acpi_config){.cpus = 1, .pmtimer_width = 24};
	return boot_load(&loaded->plan, &loaded->acpi, &loaded->ram, &loaded->entry, &loaded->e);
}

static void a_flat_image_is_loaded_by_its_addresses(void **state)
{
	struct loaded *loaded = new_loaded();
	struct file file;
	uint32_t size;

	add_flat(&file, SMALL_TEXT, 0, SMALL_TEXT + 0x1000, true);
	assert_int_equal(load_flat(loaded, &file), 0);
	assert_int_equal(loaded->entry.eip, SMALL_TEXT + 0x100);
	assert_memory_equal(loaded->ram.host + SMALL_TEXT, file.bytes, FILE_BYTES);
	assert_null(find_tag(loaded->ram.host + loaded->entry.ebx, 9, 0, &size));

	add_flat(&file, SMALL_TEXT, 0, 0, false);
	assert_int_equal(load_flat(loaded, &file), -1);
	assert_says(&loaded->e, "without an entry tag");
	free_loaded(loaded);
}

static void a_flat_images_addresses_are_checked(void **state)
{
	static const struct {
		uint32_t load, load_end, bss_end;
		const char *says;
	} vectors[] = {
		{SMALL_TEXT + HEADER_AT + 1, 0, 0, "load_addr"},
		{SMALL_TEXT - 1, 0, 0, "load_addr"},
		{SMALL_TEXT, SMALL_TEXT - 1, 0, "load_end_addr"},
		{SMALL_TEXT, SMALL_TEXT + FILE_BYTES + 1, 0, "load_end_addr"},
		{SMALL_TEXT, SMALL_TEXT + FILE_BYTES, SMALL_TEXT - 1, "bss_end_addr"},
		{SMALL_TEXT, 0, SMALL_TEXT + FILE_BYTES - 1, "bss_end_addr"},
		{SMALL_TEXT, 0, TEST_RAM_BYTES + 1, "outside RAM"},
		{SMALL_TEXT, 0, UINT32_MAX, "outside RAM"},
		{SMALL_TEXT, SMALL_TEXT + 0x100, 0, "entry_addr"},
		{SMALL_TEXT, SMALL_TEXT + 0x101, TEST_RAM_BYTES - 0x1000, NULL},
	};
	struct loaded *loaded = new_loaded();
	struct file file;

	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		add_flat(&file, vectors[i].load, vectors[i].load_end, vectors[i].bss_end, true);
		if (!load_flat(loaded, &file) != !vectors[i].says)
			fail_msg("vector %u: %s", i, loaded->e.text);
		if (vectors[i].says)
			assert_says(&loaded->e, vectors[i].says);
	}
	free_loaded(loaded);
}

static void a_flat_image_stays_off_the_firmware(void **state)
{
	struct loaded *loaded = new_loaded();
	struct file file;

	begin(&file);
	add_tag(&file, 2, 0, (uint32_t[]){0xf0000 + HEADER_AT, 0xf0000, 0, 0}, 4);
	add_tag(&file, 3, 0, (uint32_t[]){0xf0000}, 1);
	end(&file);
	assert_int_equal(load_flat(loaded, &file), -1);
	assert_says(&loaded->e, "ACPI area");
	free_loaded(loaded);
}

static void a_plan_without_a_header_is_refused(void **state)
{
	struct loaded *loaded = new_loaded();

	memset(loaded->file + SMALL_HEADER_OFFSET, 0, 24);
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "no multiboot2 header");
	put_multiboot2(loaded->file + SMALL_HEADER_OFFSET);
	loaded->file[SMALL_HEADER_OFFSET + 12]++;
	assert_int_equal(load(loaded), -1);
	assert_says(&loaded->e, "checksum");
	free_loaded(loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_found_on_8_bytes_in_the_first_32_kib),
		cmocka_unit_test(a_wrong_checksum_is_named_unless_a_right_header_follows),
		cmocka_unit_test(wrong_lengths_are_refused),
		cmocka_unit_test(wrong_tag_sizes_are_refused),
		cmocka_unit_test(tags_say_what_the_kernel_needs),
		cmocka_unit_test(an_address_tag_gives_the_flat_image),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(information_is_complete),
		cmocka_unit_test(memory_map_has_ram_and_what_is_reserved),
		cmocka_unit_test(information_moves_out_of_a_kernels_way),
		cmocka_unit_test(no_room_is_refused),
		cmocka_unit_test(too_little_memory_is_refused),
		cmocka_unit_test(a_flat_image_is_loaded_by_its_addresses),
		cmocka_unit_test(a_flat_images_addresses_are_checked),
		cmocka_unit_test(a_flat_image_stays_off_the_firmware),
		cmocka_unit_test(a_plan_without_a_header_is_refused),
	};

	return cmocka_run_group_tests_name("multiboot2", tests, NULL, NULL);
}
