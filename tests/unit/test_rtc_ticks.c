/* MC146818A, periodic interrupt: 15 rates, one series through all changes (BC-07), ticks that are
 * owed. */
#include "rtc_rig.h"

enum { PF = 0x40, IRQF = 0x80 };

/* As the data sheet has them for a 32768 Hz crystal. */
static const unsigned hz[16] = {0,   256, 128, 8192, 4096, 2048, 1024, 512,
				256, 128, 64,  32,   16,   8,	 4,    2};

/* Serves each interrupt at once; how many there were until then. */
static uint64_t serve_to(struct rig *rig, uint64_t ns)
{
	uint64_t count = 0;

	while (rig->timer.at_ns <= ns) {
		run_to(rig, rig->timer.at_ns);
		count += (get(rig, REG_C) & PF) != 0;
	}
	run_to(rig, ns);
	return count;
}

static void each_rate_for_a_minute(void **state)
{
	struct rig rig;

	for (unsigned rate = 0; rate < 16; rate++) {
		rig_init(&rig, 0);
		set(&rig, REG_A, (uint8_t)(0x20 | rate));
		set(&rig, REG_B, H24 | PF);
		assert_int_equal(serve_to(&rig, 60 * NS_PER_S), 60 * hz[rate]);
		assert_int_equal(rtc_ticks(&rig.rtc).delivered, 60 * hz[rate]);
	}
}

/* No tick is early, and none is late by a ns: each is the first ns of its cycle. */
static void ticks_lie_on_the_grid(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_B, H24 | PF);
	for (uint64_t tick = 1; tick <= 5000; tick++) {
		uint64_t at_ns = (tick * NS_PER_S + 1023) / 1024;

		assert_int_equal(rig.timer.at_ns, at_ns);
		run_to(&rig, at_ns);
		assert_int_equal(get(&rig, REG_C) & PF, PF);
	}
}

/*
 * BC-07: 8 Hz and 2 Hz in turns, each 310 ms: the ticks' periods sum up to the time, and
 * twice as many changes do not make it worse.
 */
static void changing_the_rate_loses_nothing(void **state)
{
	struct rig rig;
	uint64_t sum_ns = 0;

	rig_init(&rig, 0);
	set(&rig, REG_A, 0x2d);
	set(&rig, REG_B, H24 | PF);
	for (unsigned turn = 0; turn < 400; turn++) {
		uint64_t period_ns = NS_PER_S / (turn % 2 ? 2 : 8);
		uint64_t until_ns = (turn + 1) * UINT64_C(310000000);

		set(&rig, REG_A, turn % 2 ? 0x2f : 0x2d);
		while (get(&rig, REG_C) & PF)
			sum_ns += period_ns; /* owed by the change */
		sum_ns += serve_to(&rig, until_ns) * period_ns;
		assert_true(sum_ns <= until_ns + NS_PER_S / 2 && until_ns <= sum_ns + NS_PER_S / 2);
	}
}

/* A tick that a change of rate makes due raises the line at the write: no later one might. */
static void a_tick_due_by_the_change_is_raised(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_A, 0x2f);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, NS_PER_S / 5);
	assert_false(rig.line.level);
	set(&rig, REG_A, 0x2d);
	assert_true(rig.line.level);
	assert_int_equal(get(&rig, REG_C) & PF, PF);
	assert_int_equal(rig.timer.at_ns, NS_PER_S / 4);
}

static void writing_the_same_moves_nothing(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, 500000);
	set(&rig, REG_A, 0x26);
	set(&rig, REG_B, H24 | PF);
	assert_int_equal(rig.timer.at_ns, 976563);
	get(&rig, REG_C);
	assert_int_equal(rig.timer.at_ns, 976563);
}

/* Ticks that come while PF is up merge, and are counted. */
static void none_merges(void **state)
{
	struct rig rig;
	struct rtc_ticks ticks;

	rig_init(&rig, 0);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, NS_PER_S);
	ticks = rtc_ticks(&rig.rtc);
	assert_int_equal(ticks.due, 1024);
	assert_int_equal(ticks.owed, 1);
	assert_int_equal(ticks.dropped, 1023);
	assert_int_equal(get(&rig, REG_C) & PF, PF);
	assert_int_equal(get(&rig, REG_C), 0);
	assert_int_equal(rtc_ticks(&rig.rtc).delivered, 1);
}

/* slew: 100 missed ticks come as the guest reads, 20 at once and the rest with the ticks that
 * follow. */
static void slew_delivers_what_is_owed(void **state)
{
	struct rtc_ticks ticks;
	struct rig rig;
	unsigned burst = 0;

	rig_init_with(&rig, 0, RTC_DRIFTFIX_SLEW);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, 100 * NS_PER_S / 1024 + 1);
	assert_int_equal(rtc_ticks(&rig.rtc).owed, 100);
	while (get(&rig, REG_C) & PF)
		burst++;
	assert_int_equal(burst, 1 + RTC_REDELIVER_MAX);
	assert_int_equal(rig.line.rises, burst);
	while (rtc_ticks(&rig.rtc).owed) {
		run_to(&rig, rig.timer.at_ns);
		while (get(&rig, REG_C) & PF)
			;
	}
	ticks = rtc_ticks(&rig.rtc);
	assert_int_equal(ticks.due, ticks.delivered);
	assert_int_equal(ticks.dropped, 0);
	assert_int_equal(ticks.due, rig.clock.now_ns * 1024 / NS_PER_S);
}

static void what_is_owed_is_bounded(void **state)
{
	struct rtc_ticks ticks;
	struct rig rig;

	rig_init_with(&rig, 0, RTC_DRIFTFIX_SLEW);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, 100 * NS_PER_S);
	ticks = rtc_ticks(&rig.rtc);
	assert_int_equal(ticks.due, 102400);
	assert_int_equal(ticks.owed, RTC_OWED_MAX + 1);
	assert_int_equal(ticks.due, ticks.delivered + ticks.owed + ticks.dropped);
}

/* Ticks that nobody wanted are not delivered when somebody does; those owed go with PIE. */
static void only_wanted_ticks_are_owed(void **state)
{
	struct rig rig;

	rig_init_with(&rig, 0, RTC_DRIFTFIX_SLEW);
	run_to(&rig, NS_PER_S);
	set(&rig, REG_B, H24 | PF);
	assert_int_equal(get(&rig, REG_C) & PF, PF);
	assert_int_equal(get(&rig, REG_C), 0);
	run_to(&rig, 2 * NS_PER_S);
	set(&rig, REG_B, H24);
	assert_int_equal(rtc_ticks(&rig.rtc).owed, 0);
	set(&rig, REG_B, H24 | PF);
	get(&rig, REG_C);
	assert_int_equal(get(&rig, REG_C), 0);
}

/* Setting the wall clock moves date and time as if it had been so at the start, and no tick. */
static void a_step_moves_the_time_only(void **state)
{
	static const int64_t steps_ns[] = {INT64_C(3600000000000), INT64_C(-86400000000000),
					   INT64_C(1500000000), INT64_C(-250000000)};
	int64_t base_ns = BASE_S * (int64_t)NS_PER_S + 123;
	struct rig rig, fresh;
	uint64_t tick_ns;

	rig_init(&rig, base_ns);
	set(&rig, REG_B, H24 | PF);
	for (unsigned i = 0; i < 4; i++) {
		run_to(&rig, (i + 1) * UINT64_C(777777777));
		get(&rig, REG_C);
		tick_ns = rig.timer.at_ns;
		rtc_step(&rig.rtc, steps_ns[i]);
		assert_int_equal(rig.timer.at_ns, tick_ns);
		base_ns += steps_ns[i];
		rig_init(&fresh, base_ns);
		fresh.clock.now_ns = rig.clock.now_ns;
		assert_int_equal(now(&rig), now(&fresh));
		assert_int_equal(get(&rig, REG_A), get(&fresh, REG_A));
	}
}

/* What the guest has stopped is the guest's. */
static void a_step_leaves_what_set_holds(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	set(&rig, REG_B, SET | H24);
	set_to(&rig, 0x1999123106235958);
	rtc_step(&rig.rtc, INT64_C(86400000000000));
	assert_int_equal(now(&rig), 0x1999123106235958);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rate_for_a_minute),
		cmocka_unit_test(ticks_lie_on_the_grid),
		cmocka_unit_test(changing_the_rate_loses_nothing),
		cmocka_unit_test(a_tick_due_by_the_change_is_raised),
		cmocka_unit_test(writing_the_same_moves_nothing),
		cmocka_unit_test(none_merges),
		cmocka_unit_test(slew_delivers_what_is_owed),
		cmocka_unit_test(what_is_owed_is_bounded),
		cmocka_unit_test(only_wanted_ticks_are_owed),
		cmocka_unit_test(a_step_moves_the_time_only),
		cmocka_unit_test(a_step_leaves_what_set_holds),
	};

	return cmocka_run_group_tests_name("rtc_ticks", tests, NULL, NULL);
}
