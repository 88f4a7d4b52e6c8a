/* What an image is and what it boots: ISO with a menu, ELF, damaged ones. */
#include "images.h"

#include <unistd.h>

static struct boot_plan plan;
static struct error e;

static int read_image(const void *data, size_t size, const char *path, const char *cmdline)
{
	e = (struct error){0};
	return boot_plan_read((struct view){.data = data, .size = size, .path = path}, NULL,
			      cmdline, &plan, &e);
}

static void an_elf_with_a_multiboot2_header_gets_its_arguments_only(void **state)
{
	uint8_t file[SMALL_BYTES_64];

	small_elf64(file);
	assert_int_equal(read_image(file, sizeof(file), "/path/tickvm.elf", "app=hello"), 0);
	assert_int_equal(plan.protocol, BOOT_MULTIBOOT2);
	assert_ptr_equal(plan.kernel.data, file);
	assert_string_equal(plan.cmdline, "app=hello");
	assert_int_equal(plan.module_count, 0);
	assert_int_equal(read_image(file, sizeof(file), "/path/tickvm.elf", NULL), 0);
	assert_string_equal(plan.cmdline, "");
}

static void a_multiboot1_elf_gets_its_path_first_as_from_qemu(void **state)
{
	uint8_t file[SMALL_BYTES_32];

	small_elf32(file);
	assert_int_equal(read_image(file, sizeof(file), "x86/pmtimer.flat", "1 2"), 0);
	assert_int_equal(plan.protocol, BOOT_MULTIBOOT1);
	assert_string_equal(plan.cmdline, "x86/pmtimer.flat 1 2");
	assert_int_equal(read_image(file, sizeof(file), "x86/pmtimer.flat", NULL), 0);
	assert_string_equal(plan.cmdline, "x86/pmtimer.flat");
	assert_int_equal(read_image(file, sizeof(file), NULL, "1 2"), 0);
	assert_string_equal(plan.cmdline, "1 2");
}

static void a_command_line_must_fit(void **state)
{
	char cmdline[BOOT_CMDLINE_MAX + 1];
	uint8_t file[SMALL_BYTES_64];

	small_elf64(file);
	memset(cmdline, 'a', sizeof(cmdline));
	cmdline[BOOT_CMDLINE_MAX - 1] = '\0';
	assert_int_equal(read_image(file, sizeof(file), NULL, cmdline), 0);
	cmdline[BOOT_CMDLINE_MAX - 1] = 'a';
	cmdline[BOOT_CMDLINE_MAX] = '\0';
	assert_int_equal(read_image(file, sizeof(file), NULL, cmdline), -1);
	assert_says(&e, "command line: over 1023 bytes");
}

static void what_is_no_kernel_is_refused(void **state)
{
	uint8_t file[SMALL_BYTES_64];

	assert_int_equal(read_image("hello, world", 12, NULL, NULL), -1);
	assert_says(&e, "neither ISO 9660 nor a multiboot kernel");
	small_elf64(file);
	memset(file + SMALL_HEADER_OFFSET, 0, 4);
	assert_int_equal(read_image(file, sizeof(file), NULL, NULL), -1);
	assert_says(&e, "without a multiboot2 or multiboot1 header");
	file[EI_CLASS] = 7;
	assert_int_equal(read_image(file, sizeof(file), NULL, NULL), -1);
	assert_says(&e, "EI_CLASS");
	small_elf64(file);
	file[SMALL_HEADER_OFFSET + 12]++;
	assert_int_equal(read_image(file, sizeof(file), NULL, NULL), -1);
	assert_says(&e, "checksum");
	assert_int_equal(boot_plan_read((struct view){.data = file, .size = sizeof(file)}, "hello",
					NULL, &plan, &e),
			 -1);
	assert_says(&e, "menu entry \"hello\"");
}

/* ---- ISO ---- */

static char directory[] = "/tmp/tickvm-plan-XXXXXX";

static void write_file(const char *name, const void *data, size_t size)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

/* An ISO with this grub.cfg, a kernel of each kind and a module. */
static struct view make_iso(const char *config)
{
	uint8_t file64[SMALL_BYTES_64], file32[SMALL_BYTES_32];
	struct view image;
	char text[300];

	snprintf(text, sizeof(text), "cd %s && rm -rf * && mkdir -p t/boot/grub", directory);
	assert_int_equal(system(text), 0);
	small_elf64(file64);
	small_elf32(file32);
	write_file("t/boot/tickvm.elf", file64, sizeof(file64));
	write_file("t/boot/old.elf", file32, sizeof(file32));
	write_file("t/boot/module", "module", 6);
	if (config)
		write_file("t/boot/grub/grub.cfg", config, strlen(config));
	snprintf(text, sizeof(text), "cd %s && xorriso -as mkisofs -R -o i.iso t >log 2>&1",
		 directory);
	assert_int_equal(system(text), 0);
	snprintf(text, sizeof(text), "%s/i.iso", directory);
	assert_int_equal(view_map(text, &image, &e), 0);
	image.path = "i.iso";
	return image;
}

static bool no_xorriso(void)
{
	return system("xorriso -version >/dev/null 2>&1") != 0;
}

static int set_up(void **state)
{
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[60];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static const char menu[] =
	"set default=1\n"
	"menuentry old {\n multiboot /boot/old.elf x\n module /boot/module m\n}\n"
	"menuentry new {\n multiboot2 /boot/tickvm.elf app=smoke\n"
	" module2 /boot/module a b\n}\n"
	"menuentry lost {\n multiboot2 /boot/none\n}\n"
	"menuentry half {\n multiboot2 /boot/tickvm.elf\n module2 /none\n}\n";

static void an_iso_boots_its_menus_default_or_the_named_entry(void **state)
{
	struct view image;

	if (no_xorriso())
		skip();
	image = make_iso(menu);
	assert_int_equal(boot_plan_read(image, NULL, NULL, &plan, &e), 0);
	assert_int_equal(plan.protocol, BOOT_MULTIBOOT2);
	assert_string_equal(plan.cmdline, "app=smoke");
	assert_int_equal(plan.kernel.size, SMALL_BYTES_64);
	assert_int_equal(plan.module_count, 1);
	assert_memory_equal(plan.modules[0].file.data, "module", 6);
	assert_string_equal(plan.modules[0].cmdline, "a b");
	assert_int_equal(boot_plan_read(image, NULL, "app=hello", &plan, &e), 0);
	assert_string_equal(plan.cmdline, "app=hello");
	/* Out of an ISO version 1 has no path before it either: GRUB gives none. */
	assert_int_equal(boot_plan_read(image, "old", NULL, &plan, &e), 0);
	assert_int_equal(plan.protocol, BOOT_MULTIBOOT1);
	assert_string_equal(plan.cmdline, "x");
	assert_string_equal(plan.modules[0].cmdline, "m");
	view_unmap(&image);
}

static void an_iso_that_lacks_a_file_is_refused(void **state)
{
	struct view image;

	if (no_xorriso())
		skip();
	image = make_iso(menu);
	assert_int_equal(boot_plan_read(image, "lost", NULL, &plan, &e), -1);
	assert_says(&e, "no such file: /boot/none");
	assert_int_equal(boot_plan_read(image, "half", NULL, &plan, &e), -1);
	assert_says(&e, "no such file: /none");
	assert_int_equal(boot_plan_read(image, "7", NULL, &plan, &e), -1);
	assert_says(&e, "menu entry \"7\"");
	view_unmap(&image);
	image = make_iso(NULL);
	assert_int_equal(boot_plan_read(image, NULL, NULL, &plan, &e), -1);
	assert_says(&e, "no such file: /boot/grub/grub.cfg");
	view_unmap(&image);
	image = make_iso("menuentry x {\n");
	assert_int_equal(boot_plan_read(image, NULL, NULL, &plan, &e), -1);
	assert_says(&e, "grub.cfg line 1: a menu entry is not closed");
	view_unmap(&image);
}

/* ---- the whole way, damaged ---- */

static int reader(struct view image, void *state, struct error *error)
{
	const struct acpi_config acpi = {.cpus = 1, .ioapic = true, .pmtimer_width = 24};
	struct boot_entry entry;

	if (boot_plan_read(image, NULL, NULL, &plan, error) < 0)
		return -1;
	return boot_load(&plan, &acpi, state, &entry, error);
}

static void damage_does_no_harm(void **state)
{
	struct ram ram = ram_new();
	uint8_t file[SMALL_BYTES_64];
	struct view iso;

	small_elf64(file);
	assert_int_equal(truncate_everywhere((struct view){.data = file, .size = sizeof(file)},
					     reader, &ram),
			 sizeof(file));
	assert_in_range(flip_bytes((struct view){.data = file, .size = sizeof(file)}, 0,
				   sizeof(file), 2000, reader, &ram),
			100, 2000);
	if (!no_xorriso()) {
		iso = make_iso(menu);
		assert_in_range(flip_bytes(iso, 16 * 2048, iso.size, 2000, reader, &ram), 1, 2000);
		view_unmap(&iso);
	}
	ram_free(&ram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_elf_with_a_multiboot2_header_gets_its_arguments_only),
		cmocka_unit_test(a_multiboot1_elf_gets_its_path_first_as_from_qemu),
		cmocka_unit_test(a_command_line_must_fit),
		cmocka_unit_test(what_is_no_kernel_is_refused),
		cmocka_unit_test(an_iso_boots_its_menus_default_or_the_named_entry),
		cmocka_unit_test(an_iso_that_lacks_a_file_is_refused),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests_name("boot_plan", tests, set_up, tear_down);
}
