/* The values of options that are dates and wall clocks: what is taken, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "vmm/config.h"
#include "vmm/error.h"
#include "vmm/options.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

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

static void rtc_times(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t seconds;
		uint32_t fraction_ns;
	} rows[] = {
		{"1970-01-01", true, 0, 0},
		{"1970-01-01T00:00:01", true, 1, 0},
		{"1970-01-01T00:01", true, 60, 0},
		{"1969-12-31T23:59:59", true, -1, 0},
		{"2000-02-29T12:34:56", true, 951827696, 0},
		{"2038-01-19T03:14:08", true, INT64_C(2147483648), 0},
		{"1700-01-01", true, -INT64_C(8520336000), 0},
		{"2200-12-31T23:59:59", true, INT64_C(7289654399), 0},
		{"2000-02-29T12:34:56.9", true, 951827696, 900000000},
		{"2000-02-29T12:34:56.000000001", true, 951827696, 1},
		{"@0", true, 0, 0},
		{"@951827696", true, 951827696, 0},
		{.text = "1699-12-31"},
		{.text = "2201-01-01"},
		{.text = "@7289654400"},
		{.text = "@9223372036854775808"},
		{.text = "@99999999999999999999"},
		{.text = "@"},
		{.text = "@-1"},
		{.text = "@1x"},
		{.text = ""},
		{.text = "UTC"},
		{.text = "utc "},
		{.text = "local"},
		{.text = "2001-02-29"},
		{.text = "2000-04-31"},
		{.text = "2000-13-01"},
		{.text = "2000-00-01"},
		{.text = "2000-01-01T24:00"},
		{.text = "2000-01-01T00:60"},
		{.text = "2000-01-01T00:00:00Z"},
		{.text = "2000-01-01 00:00:00"},
		{.text = "2000-01"},
		{.text = "2000-01-01T00:00:00."},
		{.text = "2000-01-01T00:00:00.1234567890"},
		{.text = "2000-01-01T00:00:00.x"},
		{.text = "2000-01-01T00:00.5"},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		struct config config = {0};
		struct error e = {0};

		check(option_rtc_base("--o", rows[i].text, &config, &e), &e, rows[i].good,
		      rows[i].text);
		if (rows[i].good) {
			assert_true(config.rtc_base_set);
			assert_int_equal(config.rtc_base_s, rows[i].seconds);
			assert_int_equal(config.rtc_base_fraction_ns, rows[i].fraction_ns);
		}
	}
}

/* A zone without a rule: what it is ahead is the same the year round. */
static void rtc_follows_the_host(void **state)
{
	struct config config = {.rtc_base_set = true, .rtc_offset_s = 1};
	struct error e;

	setenv("TZ", "ABC-05:30", 1);
	tzset();
	assert_int_equal(option_rtc_base("--o", "utc", &config, &e), 0);
	assert_false(config.rtc_base_set);
	assert_int_equal(config.rtc_offset_s, 0);
	assert_int_equal(option_rtc_base("--o", "localtime", &config, &e), 0);
	assert_false(config.rtc_base_set);
	assert_int_equal(config.rtc_offset_s, 5 * 3600 + 30 * 60);
}

static void clock_steps(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t step_ns;
		uint64_t at_ns;
	} rows[] = {
		{"1@1", true, 1000000000, 1000000000},
		{"+5@1500ms", true, 5000000000, 1500000000},
		{"-3600@2s", true, -3600000000000, 2000000000},
		{"0@1", true, 0, 1000000000},
		{"1000000000@1", true, 1000000000000000000, 1000000000},
		{.text = ""},
		{.text = "1"},
		{.text = "@1"},
		{.text = "1@"},
		{.text = "1@0"},
		{.text = "1@-1"},
		{.text = "1.5@1"},
		{.text = " 1@1"},
		{.text = "1 @1"},
		{.text = "x@1"},
		{.text = "1@x"},
		{.text = "1@1@1"},
		{.text = "1000000001@1"},
		{.text = "-1000000001@1"},
		{.text = "9223372036854775808@1"},
	};

	for (unsigned i = 0; i < ROWS(rows); i++) {
		struct config config = {0};
		struct error e = {0};

		check(option_clock_step("--o", rows[i].text, &config, &e), &e, rows[i].good,
		      rows[i].text);
		assert_int_equal(config.clock_step_count, rows[i].good ? 1 : 0);
		if (rows[i].good) {
			assert_int_equal(config.clock_steps[0].step_ns, rows[i].step_ns);
			assert_int_equal(config.clock_steps[0].at_ns, rows[i].at_ns);
		}
	}
}

/* As many as there is room for, in their order. */
static void clock_steps_come_in_order(void **state)
{
	struct config config = {0};
	struct error e = {0};

	assert_int_equal(option_clock_step("--o", "1@2", &config, &e), 0);
	assert_int_equal(option_clock_step("--o", "1@2", &config, &e), 0);
	check(option_clock_step("--o", "1@1", &config, &e), &e, false, "1@1");
	assert_int_equal(config.clock_step_count, 2);
	while (config.clock_step_count < CONFIG_CLOCK_STEPS_MAX)
		assert_int_equal(option_clock_step("--o", "-1@3", &config, &e), 0);
	check(option_clock_step("--o", "1@4", &config, &e), &e, false, "1@4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rtc_times),
		cmocka_unit_test(rtc_follows_the_host),
		cmocka_unit_test(clock_steps),
		cmocka_unit_test(clock_steps_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
