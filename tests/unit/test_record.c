/* The record: counters, limits against a hostile guest, arrays that come in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/measure/record.h"

static struct record record;

static int setup(void **state)
{
	record_init(&record);
	return 0;
}

static int teardown(void **state)
{
	record_free(&record);
	return 0;
}

static void counters_add_and_subtract(void **state)
{
	struct exit_counts a = {0}, b = {0};

	a.reason[2] = 5;
	a.reason[RECORD_EXIT_REASONS - 1] = 1;
	a.port_in[3] = 4;
	a.mmio_write[RECORD_REGIONS - 1] = 9;
	b.reason[2] = 2;
	b.port_in[3] = 1;
	b.mmio_write[RECORD_REGIONS - 1] = 2;
	exit_counts_add(&a, &b);
	assert_int_equal(a.reason[2], 7);
	assert_int_equal(a.port_in[3], 5);
	assert_int_equal(exit_counts_total(&a), 8); /* ports are not counted twice */
	exit_counts_subtract(&a, &b);
	exit_counts_subtract(&a, &b);
	assert_int_equal(a.reason[2], 3);
	assert_int_equal(a.port_in[3], 3);
	assert_int_equal(a.mmio_write[RECORD_REGIONS - 1], 7);
}

static void samples_of_both_widths(void **state)
{
	uint32_t narrow[] = {1, UINT32_MAX};
	uint64_t wide[] = {UINT64_MAX, 7};
	unsigned char unaligned[1 + sizeof(wide)];

	memcpy(unaligned + 1, wide, sizeof(wide));
	assert_int_equal(record_samples(&record, "a.b_c-9", "ns", narrow, 2, 4), 0);
	assert_int_equal(record_samples(&record, "a.b_c-9", "ns", unaligned + 1, 2, 8), 0);
	assert_int_equal(record.metric_count, 1);
	assert_int_equal(record.metrics[0].count, 4);
	assert_true(record.metrics[0].values[1] == UINT32_MAX);
	assert_true(record.metrics[0].values[2] == UINT64_MAX);
	assert_int_equal(record.metrics[0].values[3], 7);
}

static void bad_samples_are_refused(void **state)
{
	char full[TK_NAME_SIZE], unit[TK_UNIT_SIZE];
	uint64_t value = 1;

	memset(full, 'a', sizeof(full)); /* not closed by NUL */
	memset(unit, 'n', sizeof(unit));
	assert_int_equal(record_samples(&record, full, "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "a", unit, &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "", "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "a", "", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "a b", "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "A", "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "a\033[2J", "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "a", "ns", &value, 1, 2), -1);
	assert_int_equal(record.metric_count, 0);
	assert_int_equal(record_samples(&record, "a", "ns", &value, 1, 8), 0);
	assert_int_equal(record_samples(&record, "a", "tsc", &value, 1, 8), -1);
	assert_int_equal(record.metrics[0].count, 1);
}

static void values_are_limited(void **state)
{
	uint32_t *values = calloc(TK_SAMPLES_MAX, sizeof(*values));

	for (uint64_t sent = 0; sent < RECORD_VALUES_MAX; sent += TK_SAMPLES_MAX)
		assert_int_equal(record_samples(&record, sent & TK_SAMPLES_MAX ? "a" : "b", "ns",
						values, TK_SAMPLES_MAX, 4),
				 0);
	assert_int_equal(record_samples(&record, "a", "ns", values, 1, 4), -1);
	assert_int_equal(record_samples(&record, "c", "ns", values, 1, 4), -1);
	assert_true(record.value_count == RECORD_VALUES_MAX);
	free(values);
}

static void metrics_phases_and_checks_are_limited(void **state)
{
	const struct phase phase = {.name = "p"};
	const struct check check = {.name = "c"};
	uint64_t value = 1;
	char name[16];

	for (unsigned i = 0; i < RECORD_METRICS_MAX; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		assert_int_equal(record_samples(&record, name, "ns", &value, 1, 8), 0);
	}
	assert_int_equal(record_samples(&record, "more", "ns", &value, 1, 8), -1);
	assert_int_equal(record_samples(&record, "m7", "ns", &value, 1, 8), 0);

	for (unsigned i = 0; i < RECORD_PHASES_MAX + 3; i++)
		record_phase(&record, &phase);
	assert_int_equal(record.phase_count, RECORD_PHASES_MAX);
	assert_int_equal(record.phases_lost, 3);

	for (unsigned i = 0; i < RECORD_CHECKS_MAX + 2; i++)
		record_check(&record, &check);
	assert_int_equal(record.check_count, RECORD_CHECKS_MAX);
	assert_int_equal(record.checks_lost, 2);
}

static int part(const char *name, uint64_t first, uint64_t length, unsigned count)
{
	static const uint64_t values[TK_LINE_VALUES] = {1, 2, 3, 4, 5, 6, 7, 8};
	const struct array_part array_part = {name, "ns", first, length, values, count};

	return record_array_part(&record, &array_part);
}

static void arrays_count_when_whole(void **state)
{
	assert_int_equal(part("a", 0, 5, 3), 0);
	assert_int_equal(record.metrics[0].count, 0);
	assert_int_equal(part("b", 0, 2, 2), 0); /* another metric in between */
	assert_int_equal(part("a", 3, 5, 2), 0);
	assert_int_equal(record.metrics[0].count, 5);
	assert_int_equal(record.metrics[0].values[3], 1);
	assert_int_equal(record.metrics[1].count, 2);
	assert_int_equal(record.arrays_lost, 0);
	assert_int_equal(record.value_count, 7);
}

static void a_gap_drops_its_array_once(void **state)
{
	assert_int_equal(part("a", 0, 2, 2), 0);
	part("a", 0, 16, 4);
	part("a", 8, 16, 4); /* 4 to 7 are missing */
	part("a", 12, 16, 4);
	assert_int_equal(record.arrays_lost, 1);
	part("a", 4, 8, 4); /* the rest of it, whatever it says */
	assert_int_equal(record.arrays_lost, 1);
	part("a", 0, 8, 4);
	part("a", 0, 1, 1); /* begins anew before the end */
	assert_int_equal(record.arrays_lost, 2);
	assert_int_equal(record.metrics[0].count, 3);
	part("b", 4, 8, 4); /* the beginning is missing */
	part("c", 0, 8, 4); /* the end is missing */
	record_arrays_finish(&record);
	assert_int_equal(record.arrays_lost, 4);
	assert_int_equal(record.value_count, 3);
}

static void parts_that_do_not_fit_are_refused(void **state)
{
	assert_int_equal(part("a", 0, 3, 4), -1);
	assert_int_equal(part("a", 4, 3, 1), -1);
	assert_int_equal(part("a", UINT64_MAX, 3, 4), -1);
	assert_int_equal(part("a", 0, 0, 0), -1);
	assert_int_equal(record.metric_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counters_add_and_subtract),
		TEST(samples_of_both_widths),
		TEST(bad_samples_are_refused),
		TEST(values_are_limited),
		TEST(metrics_phases_and_checks_are_limited),
		TEST(arrays_count_when_whole),
		TEST(a_gap_drops_its_array_once),
		TEST(parts_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
