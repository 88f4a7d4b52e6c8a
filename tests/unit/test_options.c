/* The values of options: what is taken and as what, and what is refused by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/config.h"
#include "vmm/error.h"
#include "vmm/options.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))
#define BAD	    UINT64_MAX /* in the tables below: refused */

/* A refusal is one line that begins with the option, and exit code 2. */
static void check(int result, const struct error *e, bool good, const char *text)
{
	if (result != (good ? 0 : -1))
		fail_msg("'%s' was %s", text, good ? "refused" : "taken");
	if (good)
		return;
	assert_int_equal(e->exit_code, 2);
	assert_memory_equal(e->text, "--o: ", 5);
	assert_null(strchr(e->text, '\n'));
}

struct row {
	const char *text;
	uint64_t value;
};

static void numbers(void **state)
{
	static const struct row rows[] = {
		{"1", 1},
		{"64", 64},
		{"007", 7},
		{"0", BAD},
		{"65", BAD},
		{"", BAD},
		{"-1", BAD},
		{"+1", BAD},
		{" 1", BAD},
		{"1 ", BAD},
		{"1x", BAD},
		{"0x10", BAD},
		{"1.5", BAD},
		{"18446744073709551616", BAD},
		{"99999999999999999999999", BAD},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		bool good = rows[i].value != BAD;
		struct error e = {0};
		uint64_t value;

		check(option_number("--o", rows[i].text, 1, 64, &value, &e), &e, good,
		      rows[i].text);
		if (good)
			assert_int_equal(value, rows[i].value);
	}
}

static void counters(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"8387608", 8387608},
		{"010", 10},
		{"0x7FFC18", 0x7ffc18},
		{"0Xfffc18", 0xfffc18},
		{"4294967295", 4294967295},
		{"0xffffffff", 0xffffffff},
		{"4294967296", BAD},
		{"0x100000000", BAD},
		{"99999999999999999999999", BAD},
		{"", BAD},
		{"0x", BAD},
		{"7f", BAD},
		{"x10", BAD},
		{"-1", BAD},
		{"+1", BAD},
		{" 1", BAD},
		{"1 ", BAD},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		bool good = rows[i].value != BAD;
		struct error e = {0};
		uint32_t value;

		check(option_counter("--o", rows[i].text, &value, &e), &e, good, rows[i].text);
		if (good)
			assert_int_equal(value, rows[i].value);
	}
}

static void the_largest_number_is_one(void **state)
{
	struct error e;
	uint64_t value;

	assert_int_equal(option_number("--o", "18446744073709551615", 0, UINT64_MAX, &value, &e),
			 0);
	assert_true(value == UINT64_MAX);
}

static void choices(void **state)
{
	static const char *const names[] = {"big", "device", "free", NULL};
	static const char *const bad[] = {"", "bi", "bigg", "Big", " big", "big,free"};
	unsigned index = 9;
	struct error e;

	assert_int_equal(option_choice("--o", "big", names, &index, &e), 0);
	assert_int_equal(index, 0);
	assert_int_equal(option_choice("--o", "free", names, &index, &e), 0);
	assert_int_equal(index, 2);
	for (unsigned i = 0; i < ROWS(bad); i++)
		check(option_choice("--o", bad[i], names, &index, &e), &e, false, bad[i]);
	option_choice("--o", "none", names, &index, &e);
	assert_string_equal(e.text, "--o: none is not big, device or free");
}

static void sizes(void **state)
{
	static const struct row rows[] = {
		{"0", 0},
		{"4096", 4096},
		{"3K", 3 << 10},
		{"64M", 64 << 20},
		{"2G", UINT64_C(2) << 30},
		{"17179869183G", UINT64_C(17179869183) << 30},
		{"17179869184G", BAD}, /* 2^64 bytes */
		{"18014398509481984K", BAD},
		{"", BAD},
		{"M", BAD},
		{"-64M", BAD},
		{"64m", BAD},
		{"64T", BAD},
		{"64MB", BAD},
		{"64 M", BAD},
		{"1.5G", BAD},
		{"99999999999999999999", BAD},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		bool good = rows[i].value != BAD;
		struct error e = {0};
		uint64_t bytes;

		check(option_size("--o", rows[i].text, &bytes, &e), &e, good, rows[i].text);
		if (good)
			assert_int_equal(bytes, rows[i].value);
	}
}

static void durations(void **state)
{
	static const struct row rows[] = {
		{"1", 1000000000},
		{"10s", UINT64_C(10000000000)},
		{"500ms", 500000000},
		{"1ms", 1000000},
		{"4611686018s", UINT64_C(4611686018000000000)},
		{"4611686019s", BAD}, /* past half of what the host's clock can hold */
		{"4611686018428ms", BAD},
		{"0", BAD},
		{"0ms", BAD},
		{"", BAD},
		{"s", BAD},
		{"-1", BAD},
		{"1.5s", BAD},
		{"1h", BAD},
		{"1m", BAD},
		{"1sec", BAD},
		{"1 s", BAD},
		{"99999999999999999999", BAD},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		bool good = rows[i].value != BAD;
		struct error e = {0};
		uint64_t ns;

		check(option_duration("--o", rows[i].text, &ns, &e), &e, good, rows[i].text);
		if (good)
			assert_int_equal(ns, rows[i].value);
	}
}

static void lists_of_cpus(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int cpus[3]; /* for three vCPUs */
	} rows[] = {
		{"0,1,2", true, {0, 1, 2}},
		{"5", true, {5, 5, 5}},
		{"4-6", true, {4, 5, 6}},
		{"7,2-3", true, {7, 2, 3}},
		{"1,1,1", true, {1, 1, 1}},
		{"1021-1023", true, {1021, 1022, 1023}},
		{.text = "0,1"}, /* two for three */
		{.text = "0-3"},
		{.text = "0-1023"},
		{.text = "1024"},
		{.text = "0,1,1024"},
		{.text = "0,9999"},
		{.text = "0-99999999999999999999"},
		{.text = ""},
		{.text = ","},
		{.text = "0,1,2,"},
		{.text = ",0,1,2"},
		{.text = "0,,1"},
		{.text = "1-0"},
		{.text = "1,3-2"},
		{.text = "1,0-"},
		{.text = "-1"},
		{.text = "0-1-2"},
		{.text = "x"},
		{.text = "0,x"},
		{.text = "0 1 2"},
		{.text = "0,1,2x"},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		int cpus[4] = {-1, -1, -1, -1};
		struct error e = {0};

		check(option_cpu_list("--o", rows[i].text, 3, cpus, &e), &e, rows[i].good,
		      rows[i].text);
		if (rows[i].good)
			assert_memory_equal(cpus, rows[i].cpus, sizeof(rows[i].cpus));
		assert_int_equal(cpus[3], -1); /* the array's end is respected */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(counters),
		cmocka_unit_test(the_largest_number_is_one),
		cmocka_unit_test(choices),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(lists_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
