/* MC146818A, being set: SET, the divider, single fields, formats, senseless bytes. */
#include "rtc_rig.h"

static const uint8_t time_registers[] = {SECONDS, 1,   MINUTES, 3,    HOURS,  5,
					 WEEKDAY, DAY, MONTH,	YEAR, CENTURY};

/* BC-06: under SET all bytes keep what was written, sense or not; then time goes on from them. */
static void set_freezes(void **state)
{
	struct rig rig;

	rig_init(&rig, 700000000);
	set(&rig, REG_B, SET | 0x10 | H24);
	assert_int_equal(get(&rig, REG_B), SET | H24); /* SET clears UIE */
	for (unsigned i = 0; i < sizeof(time_registers); i++)
		set(&rig, time_registers[i], (uint8_t)(0xf0 + i));
	for (unsigned step = 0; step < 31; step++) {
		rig.clock.now_ns += NS_PER_S / 10;
		set(&rig, REG_A, 0x26);
		assert_int_equal(get(&rig, REG_A), 0x26);
		for (unsigned i = 0; i < sizeof(time_registers); i++)
			assert_int_equal(get(&rig, time_registers[i]), 0xf0 + i);
	}
}

/* Releasing SET keeps the update cycle where it was: the first increment comes within a second. */
static void set_then_run(void **state)
{
	struct rig rig;

	rig_init(&rig, 700000000);
	set(&rig, REG_B, SET | H24);
	rig.clock.now_ns = 3 * NS_PER_S;
	set_to(&rig, 0x1999123106235958);
	set(&rig, REG_B, H24);
	assert_int_equal(now(&rig), 0x1999123106235958);
	rig.clock.now_ns += 299999999;
	assert_int_equal(now(&rig), 0x1999123106235958);
	rig.clock.now_ns += 1;
	assert_int_equal(now(&rig), 0x1999123106235959);
	rig.clock.now_ns += NS_PER_S;
	assert_int_equal(now(&rig), 0x2000010107000000);
}

/* A divider released from reset makes the first update after half a second. */
static void divider_reset(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	rig.clock.now_ns = 900000000;
	set(&rig, REG_A, 0x66);
	rig.clock.now_ns = 5 * NS_PER_S + 123;
	assert_int_equal(get(&rig, REG_A), 0x66);
	assert_int_equal(now(&rig), 0x2024022804235958);
	set(&rig, REG_A, 0xa6); /* UIP is read only */
	assert_int_equal(get(&rig, REG_A), 0x26);
	rig.clock.now_ns += NS_PER_S / 2 - 1;
	assert_int_equal(get(&rig, REG_A), 0xa6);
	assert_int_equal(now(&rig), 0x2024022804235958);
	rig.clock.now_ns += 1;
	assert_int_equal(now(&rig), 0x2024022804235959);
	rig.clock.now_ns += NS_PER_S;
	assert_int_equal(now(&rig), 0x2024022905000000);
}

/* As Linux sets the time: SET, divider reset, bytes, SET off, divider on. */
static void set_with_divider_reset(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	rig.clock.now_ns = 111;
	set(&rig, REG_B, SET | H24);
	set(&rig, REG_A, 0x76);
	set_to(&rig, 0x2031061501120000);
	set(&rig, REG_B, H24);
	rig.clock.now_ns = 3 * NS_PER_S;
	assert_int_equal(now(&rig), 0x2031061501120000);
	set(&rig, REG_A, 0x26);
	rig.clock.now_ns += NS_PER_S / 2 - 1;
	assert_int_equal(now(&rig), 0x2031061501120000);
	rig.clock.now_ns += 1;
	assert_int_equal(now(&rig), 0x2031061501120001);
}

/* Without SET a write changes its field and no other, and the clock runs on from there. */
static void single_fields(void **state)
{
	static const struct {
		uint8_t index, value;
		uint64_t then, next; /* at once, and a second later */
	} rows[] = {
		{SECONDS, 0x30, 0x2024022804235930, 0x2024022804235931},
		{MINUTES, 0x07, 0x2024022804230758, 0x2024022804230759},
		{HOURS, 0x00, 0x2024022804005958, 0x2024022804005959},
		{WEEKDAY, 0x01, 0x2024022801235958, 0x2024022801235959},
		{DAY, 0x31, 0x2024023104235958, 0x2024023104235959}, /* not yet a date */
		{MONTH, 0x12, 0x2024122804235958, 0x2024122804235959},
		{YEAR, 0x99, 0x2099022804235958, 0x2099022804235959},
		{CENTURY, 0x19, 0x1924022804235958, 0x1924022804235959},
	};
	struct rig rig;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
		rig.clock.now_ns = 400000000;
		set(&rig, rows[i].index, rows[i].value);
		assert_int_equal(now(&rig), rows[i].then);
		rig.clock.now_ns = NS_PER_S;
		assert_int_equal(now(&rig), rows[i].next);
	}
}

/* BC-09: each hour in each format, reached by running and by writing. */
static void hours_in_all_formats(void **state)
{
	struct rig rig;

	for (unsigned row = 0; row < 24 * 4; row++) {
		unsigned hour = row / 4, twelve = (hour + 11) % 12 + 1;
		uint8_t format = (row & 1 ? BINARY : 0) | (row & 2 ? H24 : 0);
		unsigned shown = format & H24 ? hour : twelve;
		uint8_t byte = format & BINARY ? (uint8_t)shown : bcd((int)shown);

		if (!(format & H24) && hour >= 12)
			byte |= 0x80;
		rig_init(&rig, ((int64_t)hour * 3600 - 1 + DAY_S) * (int64_t)NS_PER_S);
		set(&rig, REG_B, format);
		rig.clock.now_ns = NS_PER_S;
		assert_int_equal(get(&rig, HOURS), byte);
		assert_int_equal(get(&rig, MINUTES), 0);

		/* Written under SET in this format, read in the power-on format. */
		set(&rig, REG_B, SET | format);
		set(&rig, HOURS, byte);
		set(&rig, MINUTES, format & BINARY ? 59 : 0x59);
		set(&rig, REG_B, format);
		set(&rig, REG_B, H24);
		assert_int_equal(get(&rig, HOURS), bcd((int)hour));
		assert_int_equal(get(&rig, MINUTES), 0x59);
	}
}

static void binary_date(void **state)
{
	static const uint8_t bytes[][2] = {{SECONDS, 58}, {MINUTES, 59}, {HOURS, 23},
					   {WEEKDAY, 4},  {DAY, 28},	 {MONTH, 2},
					   {YEAR, 24},	  {CENTURY, 20}};
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, BINARY | H24);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(get(&rig, bytes[i][0]), bytes[i][1]);
}

/* A format written with SET, or under it, leaves the bytes alone. */
static void format_under_set_leaves_bytes(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, SET | H24);
	set(&rig, REG_B, SET | BINARY | H24);
	assert_int_equal(get(&rig, MINUTES), 0x59);
	set(&rig, MINUTES, 42);
	set(&rig, REG_B, BINARY | H24);
	assert_int_equal(get(&rig, MINUTES), 42);
}

/* BC-29: no byte that a guest can write makes the calendar fall over. */
static void any_bytes_are_survived(void **state)
{
	struct rig rig;
	uint32_t random = 1;

	rig_init(&rig, 0);
	for (unsigned i = 0; i < 50000; i++) {
		random = random * 1664525 + 1013904223;
		set(&rig, time_registers[(random >> 8) % sizeof(time_registers)],
		    (uint8_t)(random >> 16));
		if (random >> 24 < 64)
			set(&rig, REG_B, (uint8_t)(random >> 12 & (SET | BINARY | H24)));
		rig.clock.now_ns += (uint64_t)random * 97;
		now(&rig);
	}
	/* And it is a clock again as soon as it is set. */
	set(&rig, REG_B, H24);
	set_to(&rig, 0x2024022804235959);
	rig.clock.now_ns += NS_PER_S;
	assert_int_equal(now(&rig), 0x2024022905000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_freezes),
		cmocka_unit_test(set_then_run),
		cmocka_unit_test(divider_reset),
		cmocka_unit_test(set_with_divider_reset),
		cmocka_unit_test(single_fields),
		cmocka_unit_test(hours_in_all_formats),
		cmocka_unit_test(binary_date),
		cmocka_unit_test(format_under_set_leaves_bytes),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
