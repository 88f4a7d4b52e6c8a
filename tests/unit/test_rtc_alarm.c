/* MC146818A, alarm: bytes that match, bytes that match any, in all formats (BC-09). */
#include "rtc_rig.h"

enum { AF = 0x20, IRQF = 0x80, ANY = 0xc0, NEVER = 0x7f };

static void set_alarm(struct rig *rig, uint8_t hour, uint8_t minute, uint8_t second)
{
	set(rig, 1, second);
	set(rig, 3, minute);
	set(rig, 5, hour);
}

/* The second after `from` at which AF sets, -1: not within two days. Looked at each second. */
static long fires_after(struct rig *rig, long seconds)
{
	uint64_t from_ns = rig->clock.now_ns;

	get(rig, REG_C);
	for (long s = 1; s <= seconds; s++) {
		rig->clock.now_ns = from_ns + (uint64_t)s * NS_PER_S;
		if (get(rig, REG_C) & AF)
			return s;
	}
	return -1;
}

/* Every kind of "any", against the time of day 23:59:58. */
static void bytes_that_match_any(void **state)
{
	static const struct {
		uint8_t hour, minute, second;
		long after;
	} rows[] = {
		{ANY, ANY, ANY, 1},	  {0xff, 0xe5, 0xc1, 1}, {ANY, ANY, 0x59, 1},
		{ANY, ANY, 0x58, 60},	  {ANY, 0x00, 0x00, 2},	 {ANY, 0x59, 0x57, 3599},
		{0x00, ANY, ANY, 2},	  {0x23, ANY, ANY, 1},	 {0x23, 0x59, 0x58, 86400},
		{0x01, 0x02, 0x03, 3725}, {0x00, 0x00, ANY, 2},	 {0x12, ANY, 0x30, 12 * 3600 + 32},
		{NEVER, ANY, ANY, -1},	  {ANY, 0x60, ANY, -1},	 {ANY, ANY, 0x5a, -1}, /* no BCD */
		{0xbf, ANY, ANY, -1}, /* not yet "any" */
	};
	struct rig rig;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
		set_alarm(&rig, rows[i].hour, rows[i].minute, rows[i].second);
		assert_int_equal(fires_after(&rig, 2 * DAY_S), rows[i].after);
	}
}

static void any_fires_each_second(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set_alarm(&rig, ANY, ANY, ANY);
	for (unsigned s = 0; s < 10; s++)
		assert_int_equal(fires_after(&rig, 2), 1);
}

/* The value of register 4 for each hour: BC-09's table. */
static uint8_t hour_byte(unsigned hour, uint8_t format)
{
	unsigned n = format & H24 ? hour : (hour + 11) % 12 + 1;
	uint8_t byte = format & BINARY ? (uint8_t)n : bcd((int)n);

	return byte | (!(format & H24) && hour >= 12 ? 0x80 : 0);
}

/* Each hour in each format: it fires once a day, at that hour; the other half day's is not it. */
static void each_hour_in_each_format(void **state)
{
	static const uint8_t formats[] = {0, BINARY, H24, H24 | BINARY};
	struct rig rig;

	for (unsigned f = 0; f < 4; f++) {
		for (unsigned hour = 0; hour < 24; hour++) {
			rig_init(&rig, 0);
			set(&rig, REG_B, formats[f] | AF);
			set_alarm(&rig, hour_byte(hour, formats[f]), 0, 0);
			assert_int_equal(rig.timer.at_ns,
					 (hour ? hour : 24u) * UINT64_C(3600) * NS_PER_S);
			run_to(&rig, rig.timer.at_ns);
			assert_int_equal(get(&rig, HOURS), hour_byte(hour, formats[f]));
			assert_true(rig.line.level);
			assert_int_equal(rig.alarms, 1);
			assert_int_equal(get(&rig, REG_C) & (IRQF | AF), IRQF | AF);
			assert_int_equal(rig.timer.at_ns, rig.clock.now_ns + DAY_S * NS_PER_S);
		}
	}
}

/* A year of daily alarms by the timer alone: 366 of them, the leap day's too. */
static void a_year_of_alarms(void **state)
{
	struct rig rig;
	unsigned fired = 0;

	rig_init(&rig, INT64_C(1704067200) * (int64_t)NS_PER_S); /* 2024-01-01 */
	set(&rig, REG_B, H24 | AF);
	set_alarm(&rig, 0x07, 0x30, 0x00);
	while (rig.timer.at_ns < 366 * DAY_S * NS_PER_S) {
		run_to(&rig, rig.timer.at_ns);
		fired += (get(&rig, REG_C) & AF) != 0;
	}
	assert_int_equal(fired, 366);
	assert_int_equal(now(&rig), 0x2024123103073000);
}

/* Whatever time is set, the alarm is compared with what comes next, and a leap over it sets AF
 * once. */
static void setting_the_time_moves_the_alarm(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, H24 | AF);
	set_alarm(&rig, 0x12, 0x00, 0x00);
	set(&rig, HOURS, 0x11);
	assert_int_equal(rig.timer.at_ns, 2 * NS_PER_S);
	set(&rig, SECONDS, 0x59);
	assert_int_equal(rig.timer.at_ns, NS_PER_S);
	set(&rig, REG_B, H24 | AF | SET);
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
	set(&rig, REG_B, H24);
	rig.clock.now_ns = 100 * UINT64_C(86400) * NS_PER_S;
	assert_int_equal(get(&rig, REG_C) & AF, AF);
	assert_int_equal(get(&rig, REG_C) & AF, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_that_match_any),
		cmocka_unit_test(any_fires_each_second),
		cmocka_unit_test(each_hour_in_each_format),
		cmocka_unit_test(a_year_of_alarms),
		cmocka_unit_test(setting_the_time_moves_the_alarm),
	};

	return cmocka_run_group_tests_name("rtc_alarm", tests, NULL, NULL);
}
