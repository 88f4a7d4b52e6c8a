/* MC146818A, running: dates against the C library's, update cycles, memory. */
#include "rtc_rig.h"

#include <time.h>

#define UIP_NS 244140 /* 8 / 32768 s, rounded down */

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

static void base_before_1970(void **state)
{
	struct rig rig;

	rig_init(&rig, -1);
	assert_int_equal(now(&rig), oracle(-1));
	rig.clock.now_ns = 1;
	assert_int_equal(now(&rig), oracle(0));
	rig_init(&rig, INT64_C(-2208988800) * (int64_t)NS_PER_S);
	assert_int_equal(now(&rig), 0x1900010102000000);
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

/* The state is plain data: a copy behaves as the original. */
static void state_is_a_copy(void **state)
{
	struct rtc_state state_then;
	struct rig rig, other;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, 0);
	rig.clock.now_ns = 3 * NS_PER_S;
	rig_init(&other, 0);
	other.clock.now_ns = rig.clock.now_ns;
	state_then = rtc_save(&rig.rtc);
	rtc_load(&other.rtc, &state_then);
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
		cmocka_unit_test(base_before_1970),
		cmocka_unit_test(base_below_a_second),
		cmocka_unit_test(rollovers),
		cmocka_unit_test(memory_and_ports),
		cmocka_unit_test(state_is_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
