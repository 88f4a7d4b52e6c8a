/* The serial reader: KTAP and pair lines among firmware noise, damage, hostile bytes. */
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

static void renew(void)
{
	record_free(&record);
	record_init(&record);
}

static void feed_bytes(const char *text, unsigned length, unsigned piece)
{
	struct serial_reader reader;

	serial_reader_init(&reader, &record);
	for (unsigned i = 0; i < length; i += piece)
		serial_reader_feed(&reader, text + i, i + piece < length ? piece : length - i);
	serial_reader_finish(&reader);
}

static void feed(const char *text)
{
	feed_bytes(text, strlen(text), 4096);
}

static void assert_check(unsigned i, const char *name, enum check_status status, const char *detail)
{
	assert_true(i < record.check_count);
	assert_string_equal(record.checks[i].name, name);
	assert_int_equal(record.checks[i].status, status);
	assert_string_equal(record.checks[i].detail, detail);
}

static const char whole_text[] =
	"\033c\033[?7l\033[2JSeaBIOS (version 1.16.2)\r\nBooting from DVD/CD...\r\n"
	"KTAP version 1\r\n"
	"GRUB\033[1;1H1..5\r\n" /* a cursor that moves ends a line */
	"# tickvm: guest 1 v0-3-gabc\r\n"
	"ok 1 cpu.long_mode\r\n"
	"# measured 12, bound 10\r\n"
	"not ok 2 - lapic.one_shot\r\n"
	"ok 3 kvmclock # SKIP no KVM beneath\r\n"
	"  1..1\r\n"
	"  not ok 1 nested\r\n"
	"\033[32mok\033[0m 4 colour\r\n"
	"ok, this is no result\r\nok 1x nor this\r\nnot okay\r\n"
	"not ok 5 last\r\n"
	"# tickvm: samples a ns 0/2 ff 1 *4f5ca2c6\r\n"
	"tickvm: why it ended\r\n"
	"# tickvm: exit 1";

static void assert_whole_text(void)
{
	assert_int_equal(record.planned, 5);
	assert_int_equal(record.check_count, 5);
	assert_check(0, "cpu.long_mode", CHECK_OK, "");
	assert_check(1, "lapic.one_shot", CHECK_FAILED, "measured 12, bound 10");
	assert_check(2, "kvmclock", CHECK_SKIPPED, "no KVM beneath");
	assert_check(3, "colour", CHECK_OK, "");
	assert_check(4, "last", CHECK_FAILED, "");
	assert_string_equal(record.guest_revision, "v0-3-gabc");
	assert_int_equal(record.guest_abi, 1);
	assert_int_equal(record.metric_count, 1);
	assert_int_equal(record.metrics[0].values[0], 255);
	assert_string_equal(record.message, "why it ended");
	assert_int_equal(record.guest_code, 1);
	assert_int_equal(record.damaged_lines + record.arrays_lost, 0);
}

static void text_in_pieces_of_any_size(void **state)
{
	for (unsigned piece = 1; piece < 40; piece++) {
		renew();
		feed_bytes(whole_text, sizeof(whole_text) - 1, piece);
		assert_whole_text();
	}
}

static void numbers_out_of_order_fail(void **state)
{
	feed("1..3\nok 1 a\nok 3 c\nok 3 c\n");
	assert_int_equal(record.check_count, 3);
	assert_check(0, "a", CHECK_OK, "");
	assert_int_equal(record.checks[1].status, CHECK_FAILED);
	assert_string_equal(record.checks[1].detail,
			    "numbered 3 where 2 was due: a result is lost or doubled");
	assert_int_equal(record.checks[2].status, CHECK_FAILED);
}

static void two_lists_add_up(void **state)
{
	feed("1..1\nok 1 a\nKTAP version 1\n1..2\nok 1 b\nok 2 c\n");
	assert_int_equal(record.planned, 3);
	assert_int_equal(record.check_count, 3);
	assert_check(1, "b", CHECK_OK, "");
}

static void odd_bytes_and_long_lines(void **state)
{
	static const char odd[] = "ok 1 a\0b\x80\x01\tc\n";
	struct serial_reader reader;

	feed_bytes(odd, sizeof(odd) - 1, 64);
	assert_check(0, "a?b?? c", CHECK_OK, "");

	renew();
	serial_reader_init(&reader, &record);
	serial_reader_feed(&reader, "ok 1 ", 5);
	for (unsigned i = 0; i < sizeof(reader.line); i++)
		serial_reader_feed(&reader, "x", 1);
	serial_reader_feed(&reader, "\nok 1 short\n", 12);
	serial_reader_finish(&reader);
	assert_int_equal(record.check_count, 1); /* the long one was passed over */
	assert_check(0, "short", CHECK_OK, "");
}

/* The sum of abi.h, from FNV's own description. */
static uint32_t fnv_1a(const char *text)
{
	uint32_t hash = 0x811c9dc5;

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 0x01000193;
	return hash;
}

static void assert_damaged(const char *line)
{
	renew();
	feed(line);
	if (record.damaged_lines != 1 || record.value_count || record.guest_code != -1)
		fail_msg("taken for good: %s", line);
}

/* Each with the sum that is right for it: the form alone must be what is refused. */
static void malformed_arrays_are_damage(void **state)
{
	static const char *const lines[] = {
		"samples a ns 1/1 1",
		"samples a ns 0/1 1 2",
		"samples a ns 0/1 -1",
		"samples a ns 0/1 0x1",
		"samples a ns 0/1",
		"samples a ns 0/1 ",
		"samples a ns 0/1 1 ",
		"samples a  0/1 1",
		"samples A ns 0/1 1",
		"samples a ns 0/1  1",
		"samples a ns 0 1",
		"samples a ns /1 1",
		"samples a ns +0/1 1",
		"samples a ns 0/99999999 1",
		"samples a ns 0/1 10000000000000000",
		"samples a ns 0/17 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"samples",
		"samples ",
		"samples a",
	};
	char text[256];

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "# tickvm: %s *%x\n", lines[i], fnv_1a(lines[i]));
		assert_damaged(text);
	}
}

static void other_malformed_lines_are_damage(void **state)
{
	static const char *const lines[] = {
		"samples a ns 0/1 1 *2",
		"samples a ns 0/1 1 1",
		"samples a ns 0/1 1",
		"exit",
		"exit ",
		"exit x",
		"exit 256",
		"exit 1 ",
		"exit -1",
		"guest",
		"guest 1",
		"guest 1 ",
		"guest x y",
		"guest 4294967296 y",
		"",
		"other 1",
	};
	char text[256];

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "# tickvm: %s\n", lines[i]);
		assert_damaged(text);
	}
	snprintf(text, sizeof(text), "# tickvm: samples a ns 0/1 1 *1%08x\n",
		 fnv_1a("samples a ns 0/1 1"));
	assert_damaged(text);
}

/* The guest's format, by the words of abi.h, apart from any code of the VMM. */
static char *format_array(char *to, const char *name, const uint64_t *values, unsigned count)
{
	for (unsigned first = 0; first < count; first += 16) {
		const char *summed = to + strlen("# tickvm: ");

		to += sprintf(to, "# tickvm: samples %s ns %u/%u", name, first, count);
		for (unsigned i = first; i < count && i < first + 16; i++)
			to += sprintf(to, " %llx", (unsigned long long)values[i]);
		to += sprintf(to, " *%x\n", fnv_1a(summed));
	}
	return to;
}

static uint64_t random_u64(void)
{
	return (((uint64_t)random() << 42) ^ ((uint64_t)random() << 21) ^ random()) >>
	       (random() % 64);
}

static void round_trip(void **state)
{
	static char text[64 * 1024];
	uint64_t values[300];

	srandom(1);
	for (unsigned round = 0; round < 200; round++) {
		unsigned count = 1 + random() % 300;

		for (unsigned i = 0; i < count; i++)
			values[i] = random_u64();
		format_array(format_array(text, "first", values, count), "second", values, 1);
		renew();
		feed_bytes(text, strlen(text), 1 + random() % 500);
		assert_int_equal(record.metric_count, 2);
		assert_int_equal(record.metrics[0].count, count);
		assert_memory_equal(record.metrics[0].values, values, count * sizeof(*values));
		assert_int_equal(record.damaged_lines + record.arrays_lost, 0);
	}
}

/* No metric has a value, name or unit that was not sent: whole arrays as they were, or nothing. */
static void assert_values_are_true(const uint64_t *values, unsigned count, const char *text)
{
	for (unsigned i = 0; i < record.metric_count; i++) {
		const struct metric *metric = &record.metrics[i];

		if (metric->count &&
		    (metric->count != count || strcmp(metric->name, "metric") != 0 ||
		     strcmp(metric->unit, "ns") != 0 ||
		     memcmp(metric->values, values, count * sizeof(*values))))
			fail_msg("wrong values were taken from:\n%s", text);
	}
}

/*
 * Each byte of a two-line array damaged in each of eight ways: the array is lost and
 * noted, never wrong.
 */
static void each_damaged_byte_is_found(void **state)
{
	uint64_t values[20];
	char text[1024];
	unsigned length;

	srandom(2);
	for (unsigned i = 0; i < 20; i++)
		values[i] = random_u64();
	length = format_array(text, "metric", values, 20) - text;
	for (unsigned i = 0; i < length * 8; i++) {
		text[i / 8] ^= 1 << (i % 8);
		renew();
		feed_bytes(text, length, length);
		assert_values_are_true(values, 20, text);
		if ((record.metric_count == 0 || record.metrics[0].count == 0) &&
		    record.damaged_lines + record.arrays_lost == 0)
			fail_msg("lost without a note:\n%s", text);
		text[i / 8] ^= 1 << (i % 8);
	}
}

static void each_lost_or_doubled_byte_is_found(void **state)
{
	uint64_t values[20];
	char text[1024], damaged[1026];
	unsigned length;

	srandom(3);
	for (unsigned i = 0; i < 20; i++)
		values[i] = random_u64();
	length = format_array(text, "metric", values, 20) - text;
	for (unsigned i = 0; i < length; i++) {
		snprintf(damaged, sizeof(damaged), "%.*s%s", (int)i, text, text + i + 1);
		renew();
		feed(damaged);
		assert_values_are_true(values, 20, damaged);
		snprintf(damaged, sizeof(damaged), "%.*s%s", (int)i + 1, text, text + i);
		renew();
		feed(damaged);
		assert_values_are_true(values, 20, damaged);
	}
}

/* Any bytes at all: the sanitizers watch. */
static void hostile_bytes(void **state)
{
	static const char alphabet[] = "# tickvm: samples exit guest ok not 1..9/0*\n\033[mH\r\t";
	char text[600];

	srandom(4);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned length = sizeof(whole_text) - 1;

		memcpy(text, whole_text, length);
		for (unsigned n = random() % 30; n; n--)
			text[random() % length] = random() & 1 ? (char)random()
							       : alphabet[random() % 50];
		renew();
		feed_bytes(text, length, 1 + random() % 100);
		assert_true(record.value_count <= 2);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_in_pieces_of_any_size),
		TEST(numbers_out_of_order_fail),
		TEST(two_lists_add_up),
		TEST(odd_bytes_and_long_lines),
		TEST(malformed_arrays_are_damage),
		TEST(other_malformed_lines_are_damage),
		TEST(round_trip),
		TEST(each_damaged_byte_is_found),
		TEST(each_lost_or_doubled_byte_is_found),
		TEST(hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
