/*
 * Profiles: counts by address summed up by symbol, what each operation executes, and
 * the subtraction of two runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/backends/profile.h"
#include "vmm/backends/profile_diff.h"
#include "vmm/error.h"

#define GUEST  0x100000
#define VMM    0x40000000
#define KERNEL UINT64_C(0xffffffff81000000)

static void add(struct symbols *symbols, uint64_t address, const char *name)
{
	struct error e = {0};

	assert_int_equal(
		symbols_add(symbols, (struct symbol){.address = address}, name, strlen(name), &e),
		0);
}

static struct path_owners owners_new(void)
{
	struct path_owners owners = {.guest = {.low = GUEST, .high = GUEST + 0x1000},
				     .vmm = {.low = VMM, .high = VMM + 0x1000}};

	add(&owners.guest, GUEST, "loop");
	add(&owners.vmm, VMM, "read");
	add(&owners.kernel, KERNEL, "read");
	add(&owners.kernel, KERNEL + 0x100, "tick");
	return owners;
}

static void rows_are_symbols_with_the_most_first(void **state)
{
	static const struct address_count list[] = {
		{KERNEL + 0x104, 30}, {GUEST, 100},	 {KERNEL, 101}, {VMM + 4, 100},
		{KERNEL + 4, 101},    {KERNEL + 8, 200}, {VMM, 100},	{KERNEL + 0x100, 30},
	};
	struct path_owners owners = owners_new();
	struct profile profile;

	assert_int_equal(profile_make(list, sizeof(list) / sizeof(*list), 100, &owners, &profile),
			 0);
	assert_int_equal(profile.count, 4);
	assert_int_equal(profile.rows[0].owner, OWNER_KERNEL);
	assert_string_equal(profile.rows[0].symbol, "read");
	assert_int_equal(profile.rows[0].instructions, 402);
	assert_int_equal(profile.rows[0].per_operation, 4);
	assert_int_equal(profile.rows[1].owner, OWNER_VMM);
	assert_int_equal(profile.rows[1].per_operation, 2);
	/* What is not executed each time is counted, but is no part of an operation. */
	assert_string_equal(profile.rows[3].symbol, "tick");
	assert_int_equal(profile.rows[3].instructions, 60);
	assert_int_equal(profile.rows[3].per_operation, 0);
	profile_free(&profile);
	path_owners_free(&owners);
}

static void the_split_is_the_sum_of_the_rows(void **state)
{
	static const struct address_count list[] = {{GUEST, 100}, {VMM, 100}, {KERNEL, 350}};
	struct path_owners owners = owners_new();
	struct profile profile;

	assert_int_equal(profile_make(list, 3, 100, &owners, &profile), 0);
	assert_int_equal(path_split_total(&profile.executed), 550);
	assert_int_equal(profile.executed.of[OWNER_KERNEL], 350);
	assert_int_equal(path_split_total(&profile.per_operation), 6);
	assert_int_equal(profile.per_operation.of[OWNER_KERNEL], 4);
	profile_free(&profile);
	path_owners_free(&owners);
}

static void each_operation_has_the_nearest_integer(void **state)
{
	static const struct {
		uint64_t count, operations, each;
	} cases[] = {
		{0, 3, 0},
		{1, 3, 0},
		{2, 3, 1},
		{4, 3, 1},
		{5, 3, 2},
		{49, 100, 0},
		{50, 100, 1},
		{149, 100, 1},
		{150, 100, 2},
		{7, 0, 0},
		{UINT64_MAX, 1, UINT64_MAX},
		{UINT64_MAX, UINT64_MAX, 1},
	};
	struct path_owners owners = owners_new();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct address_count count = {GUEST, cases[i].count};
		struct profile profile;

		assert_int_equal(profile_make(&count, 1, cases[i].operations, &owners, &profile),
				 0);
		assert_int_equal(profile.rows[0].per_operation, cases[i].each);
		profile_free(&profile);
	}
	path_owners_free(&owners);
}

static void nothing_makes_an_empty_profile(void **state)
{
	struct path_owners owners = owners_new();
	struct profile profile;

	assert_int_equal(profile_make(NULL, 0, 100, &owners, &profile), 0);
	assert_int_equal(profile.count, 0);
	assert_int_equal(path_split_total(&profile.executed), 0);
	profile_free(&profile);
	path_owners_free(&owners);
}

/* ---- subtraction ---- */

/* JSON with single quotes. */
static json_t *json_of(const char *text)
{
	char *quoted = strdup(text);
	json_t *json;

	for (char *p = quoted; *p; p++) {
		if (*p == '\'')
			*p = '"';
	}
	json = json_loads(quoted, JSON_REJECT_DUPLICATES, NULL);
	free(quoted);
	assert_non_null(json);
	return json;
}

static const char before_text[] =
	"{'phases': [{'name': 'exits.pmtimer', 'operations': 100,"
	" 'per_operation': {'path_length': {'total': 50}}, 'profile': ["
	" {'owner': 'kernel', 'symbol': 'ioctl', 'instructions': 3000, 'per_operation': 30},"
	" {'owner': 'vmm', 'symbol': 'read', 'instructions': 2000, 'per_operation': 20},"
	" {'owner': 'kernel', 'symbol': 'tick', 'instructions': 90, 'per_operation': 0}]}]}";

/* Twice the operations: `read` is 20 longer, `ioctl` is split up, ticks are fewer. */
static const char after_text[] =
	"{'phases': [{'name': 'exits.pmtimer', 'operations': 200,"
	" 'per_operation': {'path_length': {'total': 71}}, 'profile': ["
	" {'owner': 'vmm', 'symbol': 'read', 'instructions': 8000, 'per_operation': 40},"
	" {'owner': 'kernel', 'symbol': 'ioctl', 'instructions': 5600, 'per_operation': 28},"
	" {'owner': 'vmm', 'symbol': 'ioctl', 'instructions': 600, 'per_operation': 3},"
	" {'owner': 'kernel', 'symbol': 'tick', 'instructions': 20, 'per_operation': 0}]}]}";

static const json_t *phase_of(const json_t *result)
{
	return json_array_get(json_object_get(result, "phases"), 0);
}

static void assert_change(const struct profile_change *change, const char *owner,
			  const char *symbol, int64_t before, int64_t after)
{
	assert_string_equal(change->owner, owner);
	assert_string_equal(change->symbol, symbol);
	assert_int_equal(change->before, before);
	assert_int_equal(change->after, after);
}

static void symbols_are_subtracted_largest_change_first(void **state)
{
	json_t *before = json_of(before_text), *after = json_of(after_text);
	struct phase_change change;
	struct error e = {0};

	assert_int_equal(phase_compare(phase_of(before), phase_of(after), &change, &e), 0);
	assert_int_equal(change.before, 50);
	assert_int_equal(change.after, 71);
	assert_int_equal(change.count, 4);
	assert_change(&change.symbols[0], "vmm", "read", 20, 40);
	assert_change(&change.symbols[1], "vmm", "ioctl", 0, 3);
	assert_change(&change.symbols[2], "kernel", "ioctl", 30, 28);
	assert_change(&change.symbols[3], "kernel", "tick", 0, 0);
	assert_float_equal(change.symbols[0].in_all, 20, 1e-9);
	assert_float_equal(change.symbols[3].in_all, -0.8, 1e-9);
	phase_change_free(&change);
	json_decref(before);
	json_decref(after);
}

/* The text of profile_diff(), and what it returns; the caller frees the text. */
static char *printed(const char *before_json, const char *after_json, uint64_t limit, int *code,
		     struct error *e)
{
	json_t *before = json_of(before_json), *after = json_of(after_json);
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	*code = profile_diff(before, after, limit, out, e);
	fclose(out);
	json_decref(before);
	json_decref(after);
	return text;
}

/* Lines as they are printed. */
/* clang-format off */
static const char golden[] =
	"exits.pmtimer: path length 50 before, 71 after, +21 each operation\n"
	"  symbol      of  before  after  difference  with besides\n"
	"  read       vmm      20     40         +20       +20.000\n"
	"  ioctl      vmm       0      3          +3        +3.000\n"
	"  ioctl   kernel      30     28          -2        -2.000\n"
	"  tick    kernel       0      0          +0        -0.800\n"
	"1 of 1 phases have a path that is longer\n";
/* clang-format on */

static void the_difference_is_golden(void **state)
{
	struct error e = {0};
	int code;
	char *text = printed(before_text, after_text, 0, &code, &e);

	assert_string_equal(text, golden);
	assert_int_equal(code, 1);
	free(text);
}

static void a_shorter_path_and_none_pass(void **state)
{
	struct error e = {0};
	int code;
	char *text = printed(after_text, before_text, 0, &code, &e);

	assert_int_equal(code, 0);
	assert_non_null(strstr(text, "71 before, 50 after, -21 each operation\n"));
	free(text);
	text = printed(before_text, before_text, 0, &code, &e);
	assert_int_equal(code, 0);
	assert_string_equal(text,
			    "exits.pmtimer: path length 50 before, 50 after, +0 each operation\n"
			    "0 of 1 phases have a path that is longer\n");
	free(text);
}

static void what_the_limit_allows_passes(void **state)
{
	struct error e = {0};
	int code;

	free(printed(before_text, after_text, 20, &code, &e));
	assert_int_equal(code, 1);
	free(printed(before_text, after_text, 21, &code, &e));
	assert_int_equal(code, 0);
}

static void small_changes_besides_the_path_are_one_line(void **state)
{
	static const char after[] =
		"{'phases': [{'name': 'exits.pmtimer', 'operations': 100,"
		" 'per_operation': {'path_length': {'total': 50}}, 'profile': ["
		" {'owner': 'kernel', 'symbol': 'ioctl', 'instructions': 3030,"
		"  'per_operation': 30},"
		" {'owner': 'vmm', 'symbol': 'read', 'instructions': 2000, 'per_operation': 20},"
		" {'owner': 'kernel', 'symbol': 'tick', 'instructions': 80,"
		"  'per_operation': 0}]}]}";
	struct error e = {0};
	int code;
	char *text = printed(before_text, after, 0, &code, &e);

	assert_int_equal(code, 0);
	assert_non_null(strstr(
		text, "  and 2 symbols that differ besides the path only: +0.200 together\n"));
	assert_null(strstr(text, "tick"));
	free(text);
}

static void results_without_profiles_are_refused(void **state)
{
	static const char bare[] = "{'phases': [{'name': 'exits.pmtimer', 'operations': 100,"
				   " 'per_operation': {}}]}";
	static const char other[] = "{'phases': []}";
	struct error e = {0};
	int code;

	free(printed(before_text, bare, 0, &code, &e));
	assert_int_equal(code, -1);
	assert_int_equal(e.exit_code, 2);
	assert_non_null(strstr(e.text, "--profile"));
	free(printed(before_text, other, 0, &code, &e));
	assert_int_equal(code, -1);
	assert_non_null(strstr(e.text, "no phase in common"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_symbols_with_the_most_first),
		cmocka_unit_test(the_split_is_the_sum_of_the_rows),
		cmocka_unit_test(each_operation_has_the_nearest_integer),
		cmocka_unit_test(nothing_makes_an_empty_profile),
		cmocka_unit_test(symbols_are_subtracted_largest_change_first),
		cmocka_unit_test(the_difference_is_golden),
		cmocka_unit_test(a_shorter_path_and_none_pass),
		cmocka_unit_test(what_the_limit_allows_passes),
		cmocka_unit_test(small_changes_besides_the_path_are_one_line),
		cmocka_unit_test(results_without_profiles_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
