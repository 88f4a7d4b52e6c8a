/* MC146818A, flags and interrupt: set while masked, cleared by a read, the line between them
 * (BC-05, BC-10). */
#include "rtc_rig.h"

enum { PF = 0x40, AF = 0x20, UF = 0x10, IRQF = 0x80, ANY = 0xc0 };

static void alarm_any(struct rig *rig)
{
	set(rig, 1, ANY);
	set(rig, 3, ANY);
	set(rig, 5, ANY);
}

static void flags_set_while_masked(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_A, 0x2d); /* 8 Hz */
	alarm_any(&rig);
	assert_int_equal(get(&rig, REG_C), 0);
	run_to(&rig, NS_PER_S / 8 - 1);
	assert_int_equal(get(&rig, REG_C), 0);
	run_to(&rig, NS_PER_S / 8);
	assert_int_equal(get(&rig, REG_C), PF);
	assert_int_equal(get(&rig, REG_C), 0);
	run_to(&rig, NS_PER_S);
	assert_int_equal(get(&rig, REG_C), PF | AF | UF);
	assert_int_equal(get(&rig, REG_C), 0);
	assert_false(rig.line.level);
	assert_int_equal(rig.line.rises, 0);
}

/* All 8 combinations: IRQF and the line are the OR of flag and enable. */
static void irqf_is_flags_and_enables(void **state)
{
	struct rig rig;

	for (unsigned enables = 0; enables < 8; enables++) {
		bool requested = enables != 0;

		rig_init(&rig, 0);
		alarm_any(&rig);
		set(&rig, REG_B, (uint8_t)(H24 | enables << 4));
		run_to(&rig, NS_PER_S);
		assert_int_equal(rig.line.level, requested);
		assert_int_equal(get(&rig, REG_C), PF | AF | UF | (requested ? IRQF : 0));
		assert_false(rig.line.level);
	}
}

/* The flag is up before its interrupt is enabled: the line rises at the write. */
static void enabling_looks_again(void **state)
{
	static const uint8_t bits[] = {PF, AF, UF};
	struct rig rig;

	for (unsigned i = 0; i < sizeof(bits); i++) {
		rig_init(&rig, 0);
		alarm_any(&rig);
		run_to(&rig, NS_PER_S);
		assert_false(rig.line.level);
		set(&rig, REG_B, H24 | bits[i]);
		assert_true(rig.line.level);
		assert_int_equal(rig.alarms, bits[i] == AF);
		set(&rig, REG_B, H24);
		assert_false(rig.line.level);
		set(&rig, REG_B, H24 | bits[i]);
		assert_int_equal(get(&rig, REG_C), IRQF | PF | AF | UF);
		assert_false(rig.line.level);
		assert_int_equal(rig.line.rises, 2);
	}
}

/* BC-05: at the first read with UIP 0 the second is new and UF is set; not before. */
static void uf_comes_with_the_second(void **state)
{
	struct rig rig;

	rig_init(&rig, BASE_S * (int64_t)NS_PER_S);
	run_to(&rig, NS_PER_S - 1);
	assert_int_equal(get(&rig, REG_A), 0xa6);
	assert_int_equal(get(&rig, REG_C), PF);
	run_to(&rig, NS_PER_S);
	assert_int_equal(get(&rig, REG_A), 0x26);
	assert_int_equal(get(&rig, SECONDS), 0x59);
	assert_int_equal(get(&rig, REG_C) & UF, UF);
}

static void set_stops_updates_and_not_ticks(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	alarm_any(&rig);
	set(&rig, REG_B, H24 | UF);
	set(&rig, REG_B, SET | H24 | UF | AF | PF);
	assert_int_equal(get(&rig, REG_B), SET | H24 | AF | PF);
	run_to(&rig, 3 * NS_PER_S);
	assert_int_equal(get(&rig, REG_C), IRQF | PF);
}

static void a_divider_in_reset_stops_all(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	alarm_any(&rig);
	set(&rig, REG_B, H24 | UF | AF | PF);
	set(&rig, REG_A, 0x66);
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
	run_to(&rig, 3 * NS_PER_S);
	assert_int_equal(get(&rig, REG_C), 0);
	set(&rig, REG_A, 0x26);
	run_to(&rig, 3 * NS_PER_S + 976563);
	assert_int_equal(get(&rig, REG_C), IRQF | PF);
	run_to(&rig, 3 * NS_PER_S + NS_PER_S / 2);
	assert_int_equal(get(&rig, REG_C), IRQF | PF | AF | UF);
}

/* The timer is armed for what raises the line next, and for nothing else. */
static void the_timer_is_armed_for_interrupts_only(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	alarm_any(&rig);
	run_to(&rig, 10 * NS_PER_S);
	get(&rig, REG_C);
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
	set(&rig, REG_B, H24 | UF);
	assert_int_equal(rig.timer.at_ns, 11 * NS_PER_S);
	set(&rig, REG_B, H24 | UF | PF);
	assert_int_equal(rig.timer.at_ns, 10 * NS_PER_S + 976563);
	set(&rig, REG_B, H24);
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
	set(&rig, REG_B, H24 | AF);
	assert_int_equal(rig.timer.at_ns, 11 * NS_PER_S);
	set(&rig, 1, 0x30); /* each minute at 30 */
	assert_int_equal(rig.timer.at_ns, 30 * NS_PER_S);
	set(&rig, 1, 0x7f); /* never */
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
}

/* A guest that does not read is woken once and left alone; when it reads, it goes on. */
static void an_unread_tick_disarms(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_B, H24 | PF);
	run_to(&rig, NS_PER_S);
	assert_int_equal(rig.timer.at_ns, EVENT_NEVER);
	assert_int_equal(rig.line.rises, 1);
	assert_int_equal(get(&rig, REG_C) & PF, PF);
	assert_int_equal(rig.timer.at_ns, NS_PER_S + 976563);
	run_to(&rig, NS_PER_S + 976563);
	assert_int_equal(rig.line.rises, 2);
}

/* What a guest that keeps up with its ticks pays: one arming a tick, none at its read. */
static void a_read_in_time_arms_nothing(void **state)
{
	struct rig rig;

	rig_init(&rig, 0);
	set(&rig, REG_B, H24 | PF);
	for (unsigned tick = 0; tick < 100; tick++) {
		uint64_t next_ns;

		run_to(&rig, rig.timer.at_ns);
		next_ns = rig.timer.at_ns;
		rig.timer.at_ns = 0; /* any arming would show */
		assert_int_equal(get(&rig, REG_C), IRQF | PF | (next_ns > NS_PER_S ? UF : 0));
		assert_int_equal(rig.timer.at_ns, 0);
		rig.timer.at_ns = next_ns;
	}
}

static void copies_go_on_alike(void **state)
{
	struct rtc_state middle;
	struct rig rig, other;

	rig_init(&rig, 0);
	set(&rig, REG_A, 0x29);
	set(&rig, REG_B, H24 | PF | UF);
	run_to(&rig, 777777777);
	get(&rig, REG_C);
	run_to(&rig, 800000000);
	middle = rtc_save(&rig.rtc);
	rig_init(&other, 0);
	other.clock.now_ns = rig.clock.now_ns;
	rtc_load(&other.rtc, &middle);
	assert_int_equal(other.line.level, rig.line.level);
	for (unsigned i = 0; i < 40; i++) {
		uint64_t at_ns = 800000000 + i * UINT64_C(33333333);

		run_to(&rig, at_ns);
		run_to(&other, at_ns);
		assert_int_equal(get(&rig, REG_C), get(&other, REG_C));
		assert_int_equal(rig.timer.at_ns, other.timer.at_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_set_while_masked),
		cmocka_unit_test(irqf_is_flags_and_enables),
		cmocka_unit_test(enabling_looks_again),
		cmocka_unit_test(uf_comes_with_the_second),
		cmocka_unit_test(set_stops_updates_and_not_ticks),
		cmocka_unit_test(a_divider_in_reset_stops_all),
		cmocka_unit_test(the_timer_is_armed_for_interrupts_only),
		cmocka_unit_test(an_unread_tick_disarms),
		cmocka_unit_test(a_read_in_time_arms_nothing),
		cmocka_unit_test(copies_go_on_alike),
	};

	return cmocka_run_group_tests_name("rtc_flags", tests, NULL, NULL);
}
