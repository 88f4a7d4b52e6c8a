/* The grub.cfg reader: what GRUB would run of it, and what is refused by line. */
#include "images.h"

#include "vmm/loader/grub_cfg.h"

static struct grub_entry entry;
static struct error e;

static int read_choice(const char *text, const char *choice)
{
	e = (struct error){0};
	return grub_cfg_read((struct view){.data = (const uint8_t *)text, .size = strlen(text)},
			     choice, &entry, &e);
}

#define A_KERNEL "multiboot2 /k\n"
#define AN_ENTRY "menuentry t {\n" A_KERNEL "}\n"

/* The whole file of an ISO by `make iso`, and of other people's habits. */
static const char menu[] = "# a comment { ' \" \n"
			   "set default=1\n"
			   "set timeout=0\n"
			   "serial --unit=0 --speed=115200 ; terminal_output serial console\n"
			   "insmod all_video\r\n"
			   "set where=/boot\n"
			   "menuentry 'smoke: all' --class os --id=smoke {\n"
			   "\tmultiboot2 $where/tickvm.elf app=smoke\n"
			   "}\n"
			   "menuentry \"hello\" --class a --hotkey=h --id greet --unrestricted {\n"
			   "\tset what=hello\n"
			   "\tmultiboot2 ($root)${where}/tickvm.elf app=$what # and why\n"
			   "\tmodule2 /boot/one first 1\n"
			   "\tmodule2 /boot/two\n"
			   "\tboot\n"
			   "}\n"
			   "menuentry old { multiboot /old.elf a b; module /m c; }";

static void the_default_is_the_files_own(void **state)
{
	assert_int_equal(read_choice(menu, NULL), 0);
	assert_int_equal(entry.protocol, BOOT_MULTIBOOT2);
	assert_string_equal(entry.kernel.path, "/boot/tickvm.elf");
	assert_string_equal(entry.kernel.cmdline, "app=hello");
	assert_int_equal(entry.module_count, 2);
	assert_string_equal(entry.modules[0].path, "/boot/one");
	assert_string_equal(entry.modules[0].cmdline, "first 1");
	assert_string_equal(entry.modules[1].cmdline, "");
}

static void an_entry_is_chosen_by_number_title_or_id(void **state)
{
	static const char *const smoke[] = {"0", "smoke: all", "smoke"};
	static const char *const old[] = {"2", "old"};

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(read_choice(menu, smoke[i]), 0);
		assert_string_equal(entry.kernel.cmdline, "app=smoke");
		assert_int_equal(entry.module_count, 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(read_choice(menu, old[i]), 0);
		assert_int_equal(entry.protocol, BOOT_MULTIBOOT1);
		assert_string_equal(entry.kernel.path, "/old.elf");
		assert_string_equal(entry.kernel.cmdline, "a b");
		assert_string_equal(entry.modules[0].cmdline, "c");
	}
	assert_int_equal(read_choice(menu, "greet"), 0);
	assert_int_equal(read_choice(menu, "3"), -1);
	assert_says(&e, "menu entry \"3\"");
	assert_int_equal(read_choice(menu, "-1"), -1);
	assert_int_equal(read_choice(menu, "Hello"), -1);
	assert_int_equal(read_choice(menu, "99999999999999999999999"), -1);
	assert_int_equal(read_choice("default=nowhere\n" AN_ENTRY, NULL), -1);
	assert_says(&e, "\"nowhere\" (its default)");
	assert_int_equal(read_choice("set default=9\nset default=t\n" AN_ENTRY, NULL), 0);
	assert_int_equal(read_choice("set default=9\nunset default\n" AN_ENTRY, NULL), 0);
	/* A number beats a title of digits, as in GRUB. */
	assert_int_equal(read_choice("menuentry 1 { multiboot2 /a\n}\n"
				     "menuentry 0 { multiboot2 /b\n}\n",
				     "0"),
			 0);
	assert_string_equal(entry.kernel.path, "/a");
}

/* The kernel's arguments as written, and as the kernel gets them. */
static const struct {
	const char *written, *given;
} arguments[] = {
	{"a  b\tc", "a b c"},
	{"'a b' c", "\"a b\" c"},
	{"\"a b\"", "\"a b\""},
	{"x='1 2'", "\"x=1 2\""},
	{"a\\ b", "\"a b\""},
	{"a\\\n  b", "a b"},
	{"a\\\nb", "ab"},
	{"'$v'", "$v"},
	{"\"$v\"", "\"1 2\""},
	{"$v", "1 2"},
	{"x${v}y", "x1 2y"},
	{"\"x${v}y\"", "\"x1 2y\""},
	{"$nothing", ""},
	{"a$nothing b", "a b"},
	{"\"\"", ""},
	{"$ $- a$", "$ $- a$"},
	{"\"\\$v \\\" \\\\ \\n\"", "\"$v \\\" \\\\ \\\\n\""},
	{"it\\'s", "it\\'s"},
	{"a#b #c", "a#b"},
	{"'#' \"a\\\nb\"", "# ab"},
	{"'a\nb'", "a\nb"},
	{"\"{};\"", "{};"},
	{"\\{", "{"},
	{"a=b", "a=b"},
};

static void words_quotes_and_variables(void **state)
{
	for (unsigned i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		char text[300];

		snprintf(text, sizeof(text), "set v='1 2'\nmenuentry t {\nmultiboot2 /k %s\n}",
			 arguments[i].written);
		if (read_choice(text, NULL))
			fail_msg("%s: %s", arguments[i].written, e.text);
		assert_string_equal(entry.kernel.cmdline, arguments[i].given);
	}
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{"", "line 1: there is no menuentry"},
	{"\n\n# nothing\n", "line 3: there is no menuentry"},
	{"menuentry t {\n}\n", "line 2: the menu entry loads no"},
	{"menuentry t {\n" A_KERNEL, "line 2: a menu entry is not closed"},
	{"menuentry t\n{\n" A_KERNEL "}\n", "without its opening brace"},
	{"menuentry {\n" A_KERNEL "}\n", "line 1: menuentry without a title"},
	{"menuentry 'a\nb' {\n" A_KERNEL "}\n", "title has a control character"},
	{"menuentry --class x {\n" A_KERNEL "}\n", "without a title"},
	{"{\n", "line 1: a brace outside"},
	{"\n}\n", "line 2: a brace outside"},
	{"menuentry t {\n{\n}\n}\n", "line 2: a block inside"},
	{"set a='b\n\n", "line 1: a single quote"},
	{"set a=\"b\n\n", "line 1: a double quote"},
	{"set a=\"${b\"\n", "line 1: a variable's name without its closing brace"},
	{"set a=${b", "closing brace"},
	{"set a=b\\", "backslash"},
	{"if true; then\nfi\n", "line 1: \"if\" is not supported"},
	{"menuentry t {\nsource /x\n}\n", "\"source\" is not supported"},
	{"submenu t {\n}\n", "\"submenu\" is not supported"},
	{"menuentry t {\nmultiboot2 '/a\033'\n}\n", "path has a control character"},
	{"menuentry t {\nmultiboot2\n}\n", "line 2: \"multiboot2\" without a file"},
	{"menuentry t {\nmodule2 /m\n" A_KERNEL "}\n", "\"module2\" without its kernel"},
	{"menuentry t {\n" A_KERNEL "module /m\n}\n", "\"module\" without its kernel"},
	{"menuentry t {\n" A_KERNEL A_KERNEL "}\n", "second kernel"},
	{"menuentry t {\n" A_KERNEL "module2\n}\n", "\"module2\" without a file"},
};

static void what_is_wrong_is_named_with_its_line(void **state)
{
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (!read_choice(wrong[i].text, NULL))
			fail_msg("accepted: %s", wrong[i].text);
		assert_says(&e, wrong[i].says);
	}
	assert_int_equal(grub_cfg_read((struct view){.data = (const uint8_t *)"a\0b", .size = 3},
				       NULL, &entry, &e),
			 -1);
	assert_says(&e, "NUL");
}

/* `count` times a piece, between a beginning and an end. */
static int read_repeated(const char *start, const char *piece, unsigned count, const char *end)
{
	size_t size = strlen(start) + count * (strlen(piece) + 4) + strlen(end) + 1;
	char *text = malloc(size), *at = text;
	int result;

	at += sprintf(at, "%s", start);
	for (unsigned i = 0; i < count; i++)
		at += sprintf(at, piece, i % 1000);
	sprintf(at, "%s", end);
	result = read_choice(text, NULL);
	free(text);
	return result;
}

static void limits_are_exact(void **state)
{
	const struct {
		const char *start, *piece, *end;
		unsigned most;
		const char *says;
	} limits[] = {
		{"", "a ", "\n" AN_ENTRY, 64, "words"},
		{"", "a", "\n" AN_ENTRY, 4095, "bytes in a command"},
		{"", "v%u=x\n", AN_ENTRY, 32, "variables"},
		{"", "a", "=b\n" AN_ENTRY, 31, "a variable's name"},
		{"set b=$", "a", "\n" AN_ENTRY, 31, "a variable's name"},
		{"set b=", "a", "\n" AN_ENTRY, 255, "a variable's value"},
		{"", AN_ENTRY, "", 64, "menu entries"},
		{"menuentry ", "a", "{\n" A_KERNEL "}", 127, "title"},
		{"menuentry t --id=", "a", "{\n" A_KERNEL "}", 127, "id"},
		{"menuentry t {\nmultiboot2 ", "a", "\n}", 255, "path"},
		{"menuentry t {\nmultiboot2 a ", "a", "\n}", 1023, "arguments"},
		{"menuentry t {\nmultiboot2 a ", "a", " '\n'\n}", 1021, "arguments"},
		{"menuentry t {\nmultiboot2 a ", "a", " ' '\n}", 1019, "arguments"},
		{"menuentry t {\nmultiboot2 a ", "a", "\\\\\n}", 1021, "arguments"},
		{"menuentry t {\n" A_KERNEL, "module2 m\n", "}", 16, "modules"},
	};

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (read_repeated(limits[i].start, limits[i].piece, limits[i].most, limits[i].end))
			fail_msg("%s: %u refused: %s", limits[i].says, limits[i].most, e.text);
		if (!read_repeated(limits[i].start, limits[i].piece, limits[i].most + 1,
				   limits[i].end))
			fail_msg("%s: %u accepted", limits[i].says, limits[i].most + 1);
		assert_says(&e, limits[i].says);
	}
}

static int reader(struct view text, void *state, struct error *error)
{
	return grub_cfg_read(text, NULL, &entry, error);
}

static void damage_does_no_harm(void **state)
{
	struct view good = {.data = (const uint8_t *)menu, .size = sizeof(menu) - 1};

	/* A menu that ends between entries is whole, if the default is there. */
	assert_in_range(truncate_everywhere(good, reader, NULL), good.size / 2, good.size);
	assert_in_range(flip_bytes(good, 0, good.size, 20000, reader, NULL), 1000, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_is_the_files_own),
		cmocka_unit_test(an_entry_is_chosen_by_number_title_or_id),
		cmocka_unit_test(words_quotes_and_variables),
		cmocka_unit_test(what_is_wrong_is_named_with_its_line),
		cmocka_unit_test(limits_are_exact),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests_name("grubcfg", tests, NULL, NULL);
}
