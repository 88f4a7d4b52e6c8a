/*
 * TMR_STS and the SCI that comes of it (BC-04, BC-30): set at each change of the PM
 * timer's top bit, cleared by writing 1, and nothing armed unless it could interrupt.
 */
#include "fake.h"

#include "vmm/devices/pm1.h"

#define STATUS 0x600
#define ENABLE 0x602
#define TIMER  0x608

struct rig {
	struct fake_clock clock;
	struct fake_timer event;
	struct fake_line sci;
	struct fake_bus bus;
	struct pmtimer timer;
	struct pm1 pm1;
};

static void nothing(void *opaque)
{
}

static void rig_init(struct rig *rig, unsigned width_bits, uint32_t start_ticks)
{
	struct pm1_ops ops = {nothing, nothing, NULL};

	fake_clock_init(&rig->clock);
	fake_timer_init(&rig->event);
	fake_line_init(&rig->sci);
	fake_bus_init(&rig->bus);
	pmtimer_init(&rig->timer, &rig->clock.vclock, width_bits, start_ticks);
	pm1_init(&rig->pm1, &rig->timer, &rig->event.timer, &rig->sci.line, &ops);
	fake_bus_add(&rig->bus, pm1_event_region(&rig->pm1, STATUS, NULL));
	fake_bus_add(&rig->bus, pmtimer_region(&rig->timer, TIMER, NULL));
}

static unsigned status(const struct rig *rig)
{
	return (unsigned)read_at(&rig->bus, STATUS, 2);
}

static void clear(struct rig *rig)
{
	write_at(&rig->bus, STATUS, 2, PM1_TIMER);
}

static void enable(struct rig *rig, bool on)
{
	write_at(&rig->bus, ENABLE, 2, on ? PM1_TIMER : 0);
}

static unsigned ticks(const struct rig *rig)
{
	return (unsigned)read_at(&rig->bus, TIMER, 4);
}

/* Moves the clock on, and lets the timer go off when its time has come, late by `late_ns`. */
static void pass_until(struct rig *rig, uint64_t now_ns, uint64_t late_ns)
{
	while (rig->event.at_ns <= now_ns) {
		rig->clock.now_ns = rig->event.at_ns + late_ns;
		rig->event.at_ns = EVENT_NEVER;
		pm1_timer_event(&rig->pm1);
	}
	if (rig->clock.now_ns < now_ns)
		rig->clock.now_ns = now_ns;
}

/* From 1000 ticks before a change, in both directions and widths. */
static void sets_when_the_top_bit_changes(void **state)
{
	static const struct {
		unsigned width_bits;
		uint32_t start, changed;
	} rows[] = {
		{24, 0x7ffc18, 0x800000},
		{24, 0xfffc18, 0},
		{32, 0x7ffffc18, 0x80000000},
		{32, 0xfffffc18, 0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig, rows[i].width_bits, rows[i].start);
		for (; ticks(&rig) != rows[i].changed; rig.clock.now_ns++)
			assert_int_equal(status(&rig), 0);
		assert_in_range(rig.clock.now_ns, 1000 * 279, 1000 * 280);
		assert_int_equal(status(&rig), PM1_TIMER);
		assert_int_equal(rig.event.at_ns, EVENT_NEVER);
	}
}

static void stays_clear_until_the_next_change(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0);
	for (uint64_t half = 1; half < 6; half++) {
		rig.clock.now_ns = pmtimer_half_begin_ns(&rig.timer, half);
		assert_int_equal(status(&rig), PM1_TIMER);
		write_at(&rig.bus, STATUS, 2, 0xffff & ~PM1_TIMER);
		assert_int_equal(status(&rig), PM1_TIMER);
		clear(&rig);
		assert_int_equal(status(&rig), 0);
		rig.clock.now_ns = pmtimer_half_begin_ns(&rig.timer, half + 1) - 1;
		assert_int_equal(status(&rig), 0);
	}
}

/* An idle guest costs nothing: nothing is armed without TMR_EN, nor while the SCI is up. */
static void arms_only_for_an_interrupt(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0x7ffc18);
	status(&rig);
	clear(&rig);
	assert_int_equal(rig.event.at_ns, EVENT_NEVER);
	enable(&rig, true);
	assert_int_equal(rig.event.at_ns, pmtimer_half_begin_ns(&rig.timer, 1));
	enable(&rig, false);
	assert_int_equal(rig.event.at_ns, EVENT_NEVER);
	enable(&rig, true);
	pass_until(&rig, 10 * NS_PER_S, 0);
	assert_true(rig.sci.level);
	assert_int_equal(rig.event.at_ns, EVENT_NEVER);
	clear(&rig);
	assert_int_equal(rig.event.at_ns,
			 pmtimer_half_begin_ns(&rig.timer, pmtimer_half(&rig.timer) + 1));
}

/* Three changes of the top bit: three interrupts, each with its status, none early. */
static void interrupts_once_a_change(void **state)
{
	static const uint64_t late_ns[] = {0, 1, 279, 1000000};

	for (unsigned i = 0; i < 4; i++) {
		struct rig rig;

		rig_init(&rig, 24, 0x7ffc18);
		enable(&rig, true);
		for (unsigned change = 1; change <= 3; change++) {
			uint64_t at_ns = rig.event.at_ns;

			pass_until(&rig, at_ns - 1, 0);
			assert_false(rig.sci.level);
			pass_until(&rig, at_ns, late_ns[i]);
			assert_true(rig.sci.level);
			assert_int_equal(status(&rig), PM1_TIMER);
			assert_int_equal(ticks(&rig) >> 23, change & 1);
			clear(&rig);
			assert_false(rig.sci.level);
			assert_int_equal(rig.sci.rises, change);
		}
	}
}

/* Many changes that nobody looked at are one event, as on the chip. */
static void unseen_changes_are_one(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0);
	rig.clock.now_ns = UINT64_C(1) << 62;
	assert_int_equal(status(&rig), PM1_TIMER);
	clear(&rig);
	assert_int_equal(status(&rig), 0);
	enable(&rig, true);
	assert_in_range(rig.event.at_ns - rig.clock.now_ns, 1, 3 * NS_PER_S);
	pass_until(&rig, rig.event.at_ns, 0);
	assert_true(rig.sci.level);
}

static void enabling_with_the_status_up_interrupts_at_once(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0xfffc18);
	rig.clock.now_ns = NS_PER_S;
	enable(&rig, true);
	assert_true(rig.sci.level);
	enable(&rig, false);
	assert_false(rig.sci.level);
	assert_int_equal(status(&rig), PM1_TIMER);
}

/* What is cleared before anyone saw it must not show on the line, not for a moment. */
static void clearing_the_unseen_raises_nothing(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0x7ffc18);
	enable(&rig, true);
	rig.clock.now_ns = rig.event.at_ns + 5; /* before the timer's thread got to it */
	clear(&rig);
	assert_int_equal(rig.sci.rises, 0);
	pm1_timer_event(&rig.pm1);
	assert_int_equal(rig.sci.rises, 0);
	assert_int_equal(rig.event.at_ns, pmtimer_half_begin_ns(&rig.timer, 2));
}

/* Two sources on one line: clearing one keeps the other, and the line up (BC-30). */
static void timer_and_button_share_the_line(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0x7ffc18);
	write_at(&rig.bus, ENABLE, 2, PM1_TIMER | PM1_POWER_BUTTON);
	pass_until(&rig, NS_PER_S, 0);
	pm1_raise(&rig.pm1, PM1_POWER_BUTTON);
	assert_int_equal(status(&rig), PM1_TIMER | PM1_POWER_BUTTON);
	clear(&rig);
	assert_true(rig.sci.level);
	assert_int_equal(rig.event.at_ns, pmtimer_half_begin_ns(&rig.timer, 2));
	write_at(&rig.bus, STATUS, 2, PM1_POWER_BUTTON);
	assert_false(rig.sci.level);
	assert_int_equal(rig.sci.rises, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_when_the_top_bit_changes),
		cmocka_unit_test(stays_clear_until_the_next_change),
		cmocka_unit_test(arms_only_for_an_interrupt),
		cmocka_unit_test(interrupts_once_a_change),
		cmocka_unit_test(unseen_changes_are_one),
		cmocka_unit_test(enabling_with_the_status_up_interrupts_at_once),
		cmocka_unit_test(clearing_the_unseen_raises_nothing),
		cmocka_unit_test(timer_and_button_share_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
