/*
 * The ISO 9660 reader, against images made by xorriso and the files that xorriso
 * itself takes out of them.
 */
#include "images.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/loader/iso9660.h"

static char directory[] = "/tmp/tickvm-iso-XXXXXX";
static bool no_xorriso;

static int shell(const char *command)
{
	char whole[1500];

	snprintf(whole, sizeof(whole), "cd %s && { %s; } >log 2>&1", directory, command);
	return system(whole);
}

/* Files of all kinds of names and sizes: deep, long, alike, many, empty, whole sectors. */
static const char make_tree[] =
	"mkdir -p tree/boot/grub tree/a/b/c/d/e/f/g/h/i/j/k/l tree/many && cd tree && "
	"printf 'set default=0\\n' >boot/grub/grub.cfg && "
	"echo deep >a/b/c/d/e/f/g/h/i/j/k/l/file.txt && echo 1 >ReadMe && echo 2 >README && "
	": >empty && head -c 2048 /dev/urandom >sector && head -c 70001 /dev/urandom >large.bin && "
	"echo dot >.hidden && echo none >'a space;1' && echo x >$(printf 'n%.0s' $(seq 255)) && "
	"mkdir $(printf 'd%.0s' $(seq 251)) && echo y >$(printf 'd%.0s' $(seq 251))/ygrec && "
	"for i in $(seq 200); do echo $i >many/number-$i.with-a-longer-name; done && "
	"ln -s ReadMe link";

static int make_iso(const char *name, const char *options)
{
	char command[1000];

	snprintf(command, sizeof(command),
		 "xorriso %s && rm -rf %s && mkdir %s && "
		 "xorriso -osirrox on -indev %s.iso -extract / %s && chmod -R u+rwX %s",
		 options, name, name, name, name, name);
	return shell(command);
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(directory));
	no_xorriso = shell("xorriso -version") != 0;
	if (no_xorriso)
		return 0;
	return shell(make_tree) || make_iso("rock", "-as mkisofs -R -o rock.iso tree") ||
	       make_iso("moved", "-outdev moved.iso -compliance deep_paths_off -rr_reloc_dir "
				 "rr_moved -map tree / -commit") ||
	       make_iso("plain", "-as mkisofs --norock -iso-level 2 -o plain.iso tree/many "
				 "tree/large.bin tree/boot") ||
	       shell("rm -rf mini && mkdir -p mini/boot/grub mini/x && cp tree/boot/grub/grub.cfg "
		     "mini/boot/grub && cp tree/nn* mini/x && "
		     "xorriso -as mkisofs -R -no-pad -o mini.iso mini");
}

static int tear_down(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static struct view map(const char *name)
{
	struct view image;
	struct error e = {0};
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(view_map(path, &image, &e), 0);
	return image;
}

/* ---- xorriso's extraction as the oracle ---- */

static struct iso9660 oracle_iso;
static size_t oracle_prefix; /* length of the extraction's own path */
static unsigned files_compared, links_met;

static int compare_file(const char *path, const struct stat *status, int type, struct FTW *where)
{
	const char *inside = path + oracle_prefix;
	struct error e = {0};
	struct view expected, file = {0};

	if (type == FTW_SL) {
		assert_int_equal(iso9660_find(&oracle_iso, inside, &file, &e), -1);
		assert_says(&e, "symbolic link");
		links_met++;
		return 0;
	}
	if (type == FTW_D && *inside) {
		assert_int_equal(iso9660_find(&oracle_iso, inside, &file, &e), -1);
		assert_says(&e, "a directory, not a file");
	}
	if (type != FTW_F)
		return 0;
	if (iso9660_find(&oracle_iso, inside, &file, &e))
		fail_msg("%s", e.text);
	assert_int_equal(file.size, status->st_size);
	if (file.size) {
		assert_int_equal(view_map(path, &expected, &e), 0);
		assert_memory_equal(file.data, expected.data, file.size);
		view_unmap(&expected);
	}
	files_compared++;
	return 0;
}

static void compare_all(const char *name)
{
	char path[100];
	struct view image;
	struct error e = {0};

	snprintf(path, sizeof(path), "%s.iso", name);
	image = map(path);
	assert_true(iso9660_is(image));
	assert_int_equal(iso9660_open(image, &oracle_iso, &e), 0);
	files_compared = 0;
	links_met = 0;
	oracle_prefix = (size_t)snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(nftw(path, compare_file, 8, FTW_PHYS), 0);
	view_unmap(&image);
}

static void rock_ridge_files_are_those_that_xorriso_finds(void **state)
{
	if (no_xorriso)
		skip();
	compare_all("rock");
	assert_true(oracle_iso.rock_ridge);
	assert_int_equal(files_compared, 211);
	assert_int_equal(links_met, 1);
}

static void moved_directories_are_followed(void **state)
{
	struct view image;

	if (no_xorriso)
		skip();
	/* Child links and what they point to. */
	image = map("moved.iso");
	assert_non_null(memmem(image.data, image.size, "CL\x0c\1", 4));
	view_unmap(&image);
	compare_all("moved");
	assert_true(files_compared >= 211);
}

static void plain_files_are_those_that_xorriso_finds(void **state)
{
	if (no_xorriso)
		skip();
	compare_all("plain");
	assert_false(oracle_iso.rock_ridge);
	assert_true(files_compared >= 202);
}

static void plain_names_have_no_case_and_rock_ridge_ones_do(void **state)
{
	struct view plain, rock, file;
	struct error e = {0};
	struct iso9660 iso;

	if (no_xorriso)
		skip();
	plain = map("plain.iso");
	assert_int_equal(iso9660_open(plain, &iso, &e), 0);
	assert_int_equal(iso9660_find(&iso, "/grub/grub.cfg", &file, &e), 0);
	assert_int_equal(iso9660_find(&iso, "GRUB//Grub.Cfg", &file, &e), 0);
	assert_int_equal(iso9660_find(&iso, "/grub/grub.cf", &file, &e), -1);
	assert_says(&e, "no such file");
	view_unmap(&plain);

	rock = map("rock.iso");
	assert_int_equal(iso9660_open(rock, &iso, &e), 0);
	assert_int_equal(iso9660_find(&iso, "/ReadMe", &file, &e), 0);
	assert_memory_equal(file.data, "1\n", 2);
	assert_int_equal(iso9660_find(&iso, "/README", &file, &e), 0);
	assert_memory_equal(file.data, "2\n", 2);
	assert_int_equal(iso9660_find(&iso, "/readme", &file, &e), -1);
	assert_says(&e, "no such file");
	assert_int_equal(iso9660_find(&iso, "/ReadMe/x", &file, &e), -1);
	assert_says(&e, "no directory");
	assert_int_equal(iso9660_find(&iso, "/boot/", &file, &e), -1);
	assert_int_equal(iso9660_find(&iso, "", &file, &e), -1);
	assert_int_equal(iso9660_find(&iso, "/", &file, &e), -1);
	view_unmap(&rock);
}

/* ---- single fields ---- */

/* A copy of the small image, to be damaged. */
static struct view copy_mini(void)
{
	struct view image = map("mini.iso"), copy = {.size = image.size};
	uint8_t *bytes = malloc(image.size);

	memcpy(bytes, image.data, image.size);
	copy.data = bytes;
	view_unmap(&image);
	return copy;
}

/* The directory record with a plain name, anywhere in the image. */
static uint8_t *find_plain_record(struct view image, const char *name)
{
	uint8_t *at = memmem(image.data, image.size, name, strlen(name));

	assert_non_null(at);
	return at - 33;
}

static int find_config(struct view image, struct view *file, struct error *e)
{
	struct iso9660 iso;

	if (iso9660_open(image, &iso, e) < 0)
		return -1;
	return iso9660_find(&iso, "/boot/grub/grub.cfg", file, e);
}

static const struct {
	const char *record; /* a plain name; NULL: offset in the primary volume descriptor */
	unsigned offset, width;
	uint32_t value;
	const char *says;
} vectors[] = {
	{NULL, 1, 1, 'X', "no primary volume descriptor"},
	{NULL, 0, 1, 255, "no primary volume descriptor"},
	{NULL, 128, 2, 512, "block size 512"},
	{NULL, 158, 4, UINT32_MAX, "root directory: outside"},
	{NULL, 166, 4, UINT32_MAX, "root directory: outside"},
	{NULL, 166, 4, 0, "no such file"},
	{"GRUB.CFG;1", 0, 1, 33, "cut short"},
	{"GRUB.CFG;1", 0, 1, 42, "cut short"},
	{"GRUB.CFG;1", 0, 1, 0, "no such file"},
	{"GRUB.CFG;1", 32, 1, 255, "cut short"},
	{"GRUB.CFG;1", 32, 1, 0, "cut short"},
	{"GRUB.CFG;1", 2, 4, UINT32_MAX, "file outside the image"},
	{"GRUB.CFG;1", 10, 4, UINT32_MAX, "file outside the image"},
	{"GRUB.CFG;1", 25, 1, 0x80, "several extents"},
	{"GRUB.CFG;1", 25, 1, 0x02, "a directory, not a file"},
	{"GRUB.CFG;1", 26, 1, 1, "interleaved"},
	{"GRUB.CFG;1", 27, 1, 1, "interleaved"},
	{"GRUB.CFG;1", 46, 1, 3, "Rock Ridge"}, /* length of the first system use entry */
	{"GRUB.CFG;1", 46, 1, 255, "Rock Ridge"},
	{"BOOT", 2, 4, UINT32_MAX, "directory outside"},
	{"BOOT", 10, 4, UINT32_MAX, "directory outside"},
	{"BOOT", 25, 1, 0, "no directory"},
};

static void each_bad_field_is_named(void **state)
{
	if (no_xorriso)
		skip();
	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct view image = copy_mini(), file;
		struct error e = {0};
		uint8_t *at = vectors[i].record ? find_plain_record(image, vectors[i].record)
						: (uint8_t *)(uintptr_t)image.data + 16 * 2048;

		memcpy(at + vectors[i].offset, &vectors[i].value, vectors[i].width);
		if (!find_config(image, &file, &e))
			fail_msg("vector %u (%s) was read", i, vectors[i].says);
		assert_says(&e, vectors[i].says);
		free((void *)(uintptr_t)image.data);
	}
}

/* Overwrites the grub.cfg record's system use area with one entry. */
static int find_with_entry(const void *entry, size_t size, struct error *e)
{
	struct view image = copy_mini(), file;
	uint8_t *record = find_plain_record(image, "GRUB.CFG;1");
	int result;

	memset(record + 44, 0, record[0] - 44u);
	memcpy(record + 44, entry, size);
	*e = (struct error){0};
	result = find_config(image, &file, e);
	free((void *)(uintptr_t)image.data);
	return result;
}

static void system_use_entries_are_read(void **state)
{
	struct error e;

	if (no_xorriso)
		skip();
	/* Without a Rock Ridge name the plain one counts. */
	assert_int_equal(find_with_entry("", 0, &e), 0);
	assert_int_equal(find_with_entry("ST\4\1", 4, &e), 0);
	assert_int_equal(find_with_entry("XX\4\1NM\5\1\0", 9, &e), -1);
	assert_says(&e, "no such file");
	assert_int_equal(find_with_entry("NM\x0d\1\0grub.cfg", 13, &e), 0);
	assert_int_equal(find_with_entry("NM\x09\1\1grubNM\x09\1\0.cfg", 18, &e), 0);
	assert_int_equal(find_with_entry("ST\4\1NM\5\1\0", 9, &e), 0);
	assert_int_equal(find_with_entry("SL\5\1\0", 5, &e), -1);
	assert_says(&e, "symbolic link");
	assert_int_equal(find_with_entry("ZF\4\1", 4, &e), -1);
	assert_says(&e, "compressed");
	assert_int_equal(find_with_entry("NM\4\1", 4, &e), 0); /* too short to be a name */
	assert_int_equal(find_with_entry("CL\x0c\1\0\0\0\0\0\0\0\0", 12, &e), -1);
	assert_says(&e, "a directory, not a file");
}

/* A continuation at a block, with an offset and a length. */
static int find_with_continuation(uint32_t block, uint32_t offset, uint32_t length, struct error *e)
{
	uint8_t entry[28] = {'C', 'E', 28, 1};

	put_u32(entry + 4, block);
	put_u32(entry + 12, offset);
	put_u32(entry + 20, length);
	return find_with_entry(entry, sizeof(entry), e);
}

static void continuations_are_bounded(void **state)
{
	struct view image;
	struct error e;
	uint32_t at;

	if (no_xorriso)
		skip();
	assert_int_equal(find_with_continuation(0, 0, 100, &e), 0); /* zeros: no entries */
	assert_int_equal(find_with_continuation(UINT32_MAX, 0, 4, &e), -1);
	assert_says(&e, "Rock Ridge");
	assert_int_equal(find_with_continuation(0, UINT32_MAX, UINT32_MAX, &e), -1);
	assert_says(&e, "Rock Ridge");
	/* To itself, for ever. */
	image = copy_mini();
	at = (uint32_t)(find_plain_record(image, "GRUB.CFG;1") + 44 - image.data);
	free((void *)(uintptr_t)image.data);
	assert_int_equal(find_with_continuation(at / 2048, at % 2048, 28, &e), -1);
	assert_says(&e, "Rock Ridge");
}

/* A child link in the record of /boot. */
static int find_with_child_link(uint32_t block, struct error *e)
{
	struct view image = copy_mini(), file;
	uint8_t *record = find_plain_record(image, "BOOT");
	int result;

	memset(record + 38, 0, record[0] - 38u);
	memcpy(record + 38, "CL\x0c\1", 4);
	put_u32(record + 42, block);
	*e = (struct error){0};
	result = find_config(image, &file, e);
	free((void *)(uintptr_t)image.data);
	return result;
}

static void child_links_are_bounded(void **state)
{
	struct view image;
	uint32_t boot;
	struct error e;

	if (no_xorriso)
		skip();
	image = copy_mini();
	memcpy(&boot, find_plain_record(image, "BOOT") + 2, sizeof(boot));
	free((void *)(uintptr_t)image.data);
	assert_int_equal(find_with_child_link(boot, &e), 0);
	assert_int_equal(find_with_child_link(UINT32_MAX, &e), -1);
	assert_says(&e, "moved directory");
	assert_int_equal(find_with_child_link(0, &e), -1);
	assert_says(&e, "no such file");
}

/* A directory as large as a large image, of records that never match. */
static void a_directory_without_end_ends(void **state)
{
	enum { SIZE = 64 << 20 };
	struct view image, file, small;
	struct error e = {0};
	uint8_t *bytes;
	uint32_t size = SIZE - 18 * 2048;

	if (no_xorriso)
		skip();
	bytes = malloc(SIZE);
	small = copy_mini();
	memset(bytes, 34, SIZE); /* length 34, name of 34 bytes: cut short, but for ... */
	for (uint32_t at = 18 * 2048; at + 34 <= SIZE; at += 34) {
		bytes[at + 32] = 1;
		bytes[at + 33] = 'x';
	}
	memcpy(bytes, small.data, 18 * 2048);
	free((void *)(uintptr_t)small.data);
	put_u32(bytes + 16 * 2048 + 158, 18);
	memcpy(bytes + 16 * 2048 + 166, &size, sizeof(size));
	image = (struct view){.data = bytes, .size = SIZE};
	assert_int_equal(find_config(image, &file, &e), -1);
	assert_says(&e, "too many directory records");
	free(bytes);
}

static void what_is_no_image_is_not_taken_for_one(void **state)
{
	static uint8_t bytes[17 * 2048];
	struct view image = {.data = bytes, .size = sizeof(bytes)};
	struct error e = {0};
	struct iso9660 iso;

	assert_false(iso9660_is(image));
	assert_int_equal(iso9660_open(image, &iso, &e), -1);
	memcpy(bytes + 16 * 2048 + 1, "CD001", 5);
	assert_true(iso9660_is(image));
	/* A boot record, and then nothing. */
	assert_int_equal(iso9660_open(image, &iso, &e), -1);
	assert_says(&e, "no primary volume descriptor");
	image.size--;
	assert_false(iso9660_is(image));
}

static int reader(struct view image, void *state, struct error *e)
{
	struct iso9660 iso;
	struct view file;

	if (iso9660_open(image, &iso, e) < 0)
		return -1;
	if (iso9660_find(&iso, state, &file, e) < 0)
		return -1;
	/* All of it can be read. */
	for (uint64_t i = 0; i < file.size; i++)
		((volatile const uint8_t *)file.data)[i];
	return 0;
}

static void damage_does_no_harm(void **state)
{
	char long_name[260] = "/x/", config[] = "/boot/grub/grub.cfg";
	struct view image;

	if (no_xorriso)
		skip();
	memset(long_name + 3, 'n', 255);
	image = copy_mini();
	assert_int_equal(reader(image, config, &(struct error){0}), 0);
	assert_int_equal(reader(image, long_name, &(struct error){0}), 0);
	assert_in_range(truncate_everywhere(image, reader, config), image.size / 2, image.size);
	assert_in_range(truncate_everywhere(image, reader, long_name), image.size / 2, image.size);
	assert_in_range(flip_bytes(image, 16 * 2048, image.size, 20000, reader, config), 100,
			20000);
	assert_in_range(flip_bytes(image, 16 * 2048, image.size, 20000, reader, long_name), 100,
			20000);
	free((void *)(uintptr_t)image.data);
}

static void files_that_cannot_be_mapped_are_refused(void **state)
{
	struct view image;
	struct error e = {0};

	assert_int_equal(view_map("/nowhere/at-all", &image, &e), -1);
	assert_says(&e, "/nowhere/at-all: No such file");
	assert_int_equal(view_map("/tmp", &image, &e), -1);
	assert_says(&e, "not a regular file");
	assert_int_equal(view_map("/dev/null", &image, &e), -1);
	assert_says(&e, "not a regular file");
	assert_int_equal(view_map("/proc/self/status", &image, &e), -1);
	assert_says(&e, "file of 0 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rock_ridge_files_are_those_that_xorriso_finds),
		cmocka_unit_test(moved_directories_are_followed),
		cmocka_unit_test(plain_files_are_those_that_xorriso_finds),
		cmocka_unit_test(plain_names_have_no_case_and_rock_ridge_ones_do),
		cmocka_unit_test(each_bad_field_is_named),
		cmocka_unit_test(system_use_entries_are_read),
		cmocka_unit_test(continuations_are_bounded),
		cmocka_unit_test(child_links_are_bounded),
		cmocka_unit_test(a_directory_without_end_ends),
		cmocka_unit_test(what_is_no_image_is_not_taken_for_one),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(files_that_cannot_be_mapped_are_refused),
	};

	return cmocka_run_group_tests_name("iso9660", tests, set_up, tear_down);
}
