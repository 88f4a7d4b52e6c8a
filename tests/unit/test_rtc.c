/* MC146818A: dates against the C library's, update cycles, setting the time, formats. */
#include "fake.h"

#include <string.h>
#include <time.h>

#include "vmm/devices/rtc.h"

#define INDEX_PORT 0x70
#define DATA_PORT  0x71
#define DAY_S	   86400
#define UIP_NS	   244140 /* 8 / 32768 s, rounded down */

/* 2024-02-28 23:59:58, a Wednesday. */
#define BASE_S INT64_C(1709164798)

enum { SECONDS, MINUTES = 2, HOURS = 4, WEEKDAY = 6, DAY, MONTH, YEAR, REG_A, REG_B, REG_C, REG_D };
enum { CENTURY = 0x32 };
enum { SET = 0x80, BINARY = 0x04, H24 = 0x02 };

struct rig {
	struct fake_clock clock;
	struct fake_bus bus;
	struct rtc rtc;
};

static void rig_init(struct rig *rig, int64_t base_ns)
{
	fake_clock_init(&rig->clock);
	fake_bus_init(&rig->bus);
	rtc_init(&rig->rtc, &rig->clock.vclock, base_ns);
	fake_bus_add(&rig->bus, rtc_region(&rig->rtc, INDEX_PORT, NULL));
}

static uint8_t get(struct rig *rig, uint8_t index)
{
	write_at(&rig->bus, INDEX_PORT, 1, index);
	return (uint8_t)read_at(&rig->bus, DATA_PORT, 1);
}

static void set(struct rig *rig, uint8_t index, uint8_t value)
{
	write_at(&rig->bus, INDEX_PORT, 1, index);
	write_at(&rig->bus, DATA_PORT, 1, value);
}

static uint8_t bcd(int n)
{
	return (uint8_t)(n / 10 * 16 + n % 10);
}

/* The eight time bytes, in one number that shows well when it is wrong: CCYYMMDD_WWhhmmss. */
static uint64_t now(struct rig *rig)
{
	static const uint8_t order[] = {CENTURY, YEAR,	MONTH,	 DAY,
					WEEKDAY, HOURS, MINUTES, SECONDS};
	uint64_t all = 0;

	for (unsigned i = 0; i < sizeof(order); i++)
		all = all << 8 | get(rig, order[i]);
	return all;
}

/* The same of gmtime_r(), BCD and 24 hours. */
static uint64_t oracle(int64_t seconds)
{
	time_t t = seconds;
	struct tm tm;
	uint64_t all = 0;

	gmtime_r(&t, &tm);
	int fields[] = {(tm.tm_year + 1900) / 100,
			tm.tm_year % 100,
			tm.tm_mon + 1,
			tm.tm_mday,
			tm.tm_wday + 1,
			tm.tm_hour,
			tm.tm_min,
			tm.tm_sec};
	for (unsigned i = 0; i < 8; i++)
		all = all << 8 | bcd(fields[i]);
	return all;
}

static void power_on(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	assert_int_equal(get(&rig, REG_A), 0x26);
	assert_int_equal(get(&rig, REG_B), 0x02);
	assert_int_equal(get(&rig, REG_C), 0);
	assert_int_equal(get(&rig, REG_D), 0x80);
	assert_int_equal(now(&rig), 0x2024022804235958);
	assert_int_equal(oracle(BASE_S), 0x2024022804235958);
}

/* Both sides of each midnight from 1970 to 2199, by one clock that runs on. */
static void two_centuries_of_days(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	for (int64_t day = 1; day <= 84006; day++) {
		rig.clock.now_ns = (uint64_t)day * DAY_S * NS_PER_S - 1;
		assert_int_equal(now(&rig), oracle(day * DAY_S - 1));
		rig.clock.now_ns++;
		assert_int_equal(now(&rig), oracle(day * DAY_S));
	}
	assert_int_equal(now(&rig), 0x2200010104000000);
}

/* The same dates by leaps of odd length, and from clocks that start there. */
static void leaps_and_bases(void **state)
{
	struct rig running, started;

	rig_init(&running, 0);
	for (int64_t s = 0; s < INT64_C(7258118400); s += 1234577) {
		running.clock.now_ns = (uint64_t)s * NS_PER_S;
		rig_init(&started, s * (int64_t)NS_PER_S);
		assert_int_equal(now(&running), oracle(s));
		assert_int_equal(now(&started), oracle(s));
	}
}

static void far_future_is_a_date(void **state)
{
	struct rig rig;

	rig_init(&rig, INT64_MAX);
	rig.clock.now_ns = UINT64_MAX;
	/* 2^63 - 1 + 2^64 - 1 ns */
	assert_int_equal(now(&rig), oracle(INT64_C(27670116110)));
}

/* BC-05: UIP leads the update by 244.14 us; when it falls the second is new. */
static void update_in_progress(void **state)
{
	static const struct {
		uint64_t ns;
		uint8_t uip, second;
	} rows[] = {
		{0, 0, 0x58},
		{NS_PER_S - UIP_NS - 1, 0, 0x58},
		{NS_PER_S - UIP_NS, 0x80, 0x58},
		{NS_PER_S - 1, 0x80, 0x58},
		{NS_PER_S, 0, 0x59},
		{2 * NS_PER_S - UIP_NS - 1, 0, 0x59},
		{2 * NS_PER_S - 1, 0x80, 0x59},
		{2 * NS_PER_S, 0, 0x00},
	};
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig.clock.now_ns = rows[i].ns;
		assert_int_equal(get(&rig, REG_A), 0x26 | rows[i].uip);
		assert_int_equal(get(&rig, SECONDS), rows[i].second);
	}
}

/* The base has a fraction of a second: the first update comes by what is left of it. */
static void base_below_a_second(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S + 999999999);
	assert_int_equal(get(&rig, REG_A), 0xa6);
	assert_int_equal(get(&rig, SECONDS), 0x58);
	rig.clock.now_ns = 1;
	assert_int_equal(get(&rig, REG_A), 0x26);
	assert_int_equal(get(&rig, SECONDS), 0x59);
}

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

static void set_to(struct rig *rig, uint64_t all)
{
	static const uint8_t order[] = {SECONDS, MINUTES, HOURS, WEEKDAY,
					DAY,	 MONTH,	  YEAR,	 CENTURY};

	for (unsigned i = 0; i < sizeof(order); i++, all >>= 8)
		set(rig, order[i], (uint8_t)all);
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

/* What the date is after the midnight that follows `from`. */
static void rollovers(void **state)
{
	static const struct {
		uint64_t from, to;
	} rows[] = {
		{0x1900022804235959, 0x1900030105000000}, /* not a leap year */
		{0x2000022802235959, 0x2000022903000000},
		{0x2100022801235959, 0x2100030102000000},
		{0x2023022803235959, 0x2023030104000000},
		{0x2024022905235959, 0x2024030106000000},
		{0x2024123103235959, 0x2025010104000000},
		{0x2099123105235959, 0x2100010106000000},
		{0x2024043007235959, 0x2024050101000000},
		{0x2024023105235959, 0x2024030306000000}, /* 31 February: runs on */
		{0x9999123106235959, 0x0000010107000000},
	};
	struct rig rig;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig_init(&rig, 0);
		set_to(&rig, rows[i].from);
		rig.clock.now_ns = NS_PER_S;
		assert_int_equal(now(&rig), rows[i].to);
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

static void memory_and_ports(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	for (unsigned i = REG_D + 1; i < 128; i++) {
		if (i == CENTURY)
			continue;
		assert_int_equal(get(&rig, (uint8_t)i), 0);
		set(&rig, (uint8_t)i, (uint8_t)(i ^ 0x5a));
	}
	for (unsigned i = REG_D + 1; i < 128; i++)
		if (i != CENTURY) /* bit 7 of the index is the NMI mask */
			assert_int_equal(get(&rig, (uint8_t)(i | 0x80)), i ^ 0x5a);
	set(&rig, REG_C, 0xff);
	set(&rig, REG_D, 0);
	assert_int_equal(get(&rig, REG_C), 0);
	assert_int_equal(get(&rig, REG_D), 0x80);
	assert_int_equal(read_at(&rig.bus, INDEX_PORT, 1), 0xff);
	assert_int_equal(read_at(&rig.bus, INDEX_PORT, 2), 0xffff);
	write_at(&rig.bus, INDEX_PORT, 2, 0x1234); /* index and data at once: not this chip */
	assert_int_equal(get(&rig, 0x34), 0x34 ^ 0x5a);
}

/* BC-28: no byte that a guest can write makes the calendar fall over. */
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

/* The state is plain data: a copy behaves as the original. */
static void state_is_a_copy(void **state)
{
	struct rig rig, other;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, 0);
	rig.clock.now_ns = 3 * NS_PER_S;
	rig_init(&other, 0);
	other.rtc.state = rig.rtc.state;
	other.clock.now_ns = rig.clock.now_ns;
	assert_int_equal(now(&other), now(&rig));
	assert_int_equal(now(&other), 0x2024022905120001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_on),
		cmocka_unit_test(two_centuries_of_days),
		cmocka_unit_test(leaps_and_bases),
		cmocka_unit_test(far_future_is_a_date),
		cmocka_unit_test(update_in_progress),
		cmocka_unit_test(base_below_a_second),
		cmocka_unit_test(set_freezes),
		cmocka_unit_test(set_then_run),
		cmocka_unit_test(divider_reset),
		cmocka_unit_test(set_with_divider_reset),
		cmocka_unit_test(single_fields),
		cmocka_unit_test(rollovers),
		cmocka_unit_test(hours_in_all_formats),
		cmocka_unit_test(binary_date),
		cmocka_unit_test(format_under_set_leaves_bytes),
		cmocka_unit_test(memory_and_ports),
		cmocka_unit_test(any_bytes_are_survived),
		cmocka_unit_test(state_is_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
