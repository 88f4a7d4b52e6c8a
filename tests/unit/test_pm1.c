/*
 * ACPI PM1 blocks and reset register: write-1-to-clear, the SCI, S5, reset. TMR_STS is
 * in test_pm1_timer.c.
 */
#include "fake.h"

#include "vmm/devices/pm1.h"
#include "vmm/machine_map.h"

#define STATUS	MAP_PM1_EVT_PORT
#define ENABLE	(MAP_PM1_EVT_PORT + 2)
#define CONTROL MAP_PM1_CNT_PORT
#define RESET	MAP_RESET_PORT

enum { SCI_EN = 1, SLP_EN = 1 << 13 };

struct rig {
	struct fake_clock clock;
	struct fake_timer event;
	struct fake_line sci;
	struct fake_bus bus;
	struct pmtimer timer;
	struct pm1 pm1;
	unsigned power_offs, resets;
};

static void power_off(void *opaque)
{
	((struct rig *)opaque)->power_offs++;
}

static void reset(void *opaque)
{
	((struct rig *)opaque)->resets++;
}

static void rig_init(struct rig *rig)
{
	struct pm1_ops ops = {power_off, reset, rig};

	fake_clock_init(&rig->clock);
	fake_timer_init(&rig->event);
	fake_line_init(&rig->sci);
	fake_bus_init(&rig->bus);
	rig->power_offs = rig->resets = 0;
	pmtimer_init(&rig->timer, &rig->clock.vclock, 24, 0);
	pm1_init(&rig->pm1, &rig->timer, &rig->event.timer, &rig->sci.line, &ops);
	fake_bus_add(&rig->bus, pm1_event_region(&rig->pm1, STATUS, NULL));
	fake_bus_add(&rig->bus, pm1_control_region(&rig->pm1, CONTROL, NULL));
	fake_bus_add(&rig->bus, pm1_reset_region(&rig->pm1, RESET, NULL));
}

static void power_on(void **state)
{
	struct rig rig;

	rig_init(&rig);
	assert_int_equal(read_at(&rig.bus, STATUS, 2), 0);
	assert_int_equal(read_at(&rig.bus, ENABLE, 2), 0);
	assert_int_equal(read_at(&rig.bus, CONTROL, 2), SCI_EN);
	assert_int_equal(read_at(&rig.bus, STATUS, 4), 0xffffffff);
	assert_int_equal(read_at(&rig.bus, CONTROL, 4), 0xffffffff);
	assert_int_equal(read_at(&rig.bus, RESET, 4), 0xffffffff);
	assert_false(rig.sci.level);
}

static void only_events_can_be_enabled(void **state)
{
	struct rig rig;

	rig_init(&rig);
	write_at(&rig.bus, ENABLE, 2, 0xffff);
	assert_int_equal(read_at(&rig.bus, ENABLE, 2), 0x0721);
	write_at(&rig.bus, ENABLE, 1, 0x00);
	assert_int_equal(read_at(&rig.bus, ENABLE, 2), 0x0700);
	write_at(&rig.bus, ENABLE + 1, 1, 0x01);
	assert_int_equal(read_at(&rig.bus, ENABLE, 2), 0x0100);
	assert_int_equal(read_at(&rig.bus, ENABLE + 1, 1), 0x01);
	assert_int_equal(read_at(&rig.bus, STATUS, 2), 0);
}

/* The SCI is the OR of status and enable, at all times (BC-30). */
static void sci_follows_status_and_enable(void **state)
{
	static const uint16_t events[] = {PM1_GLOBAL_LOCK, PM1_POWER_BUTTON, PM1_SLEEP_BUTTON,
					  PM1_RTC};

	for (unsigned i = 0; i < 4; i++) {
		struct rig rig;

		rig_init(&rig);
		pm1_raise(&rig.pm1, events[i]);
		assert_int_equal(read_at(&rig.bus, STATUS, 2), events[i]);
		assert_false(rig.sci.level);
		write_at(&rig.bus, ENABLE, 2, (uint16_t)~events[i]);
		assert_false(rig.sci.level);
		write_at(&rig.bus, ENABLE, 2, events[i]);
		assert_true(rig.sci.level);
		write_at(&rig.bus, ENABLE, 2, 0);
		assert_false(rig.sci.level);
		write_at(&rig.bus, ENABLE, 2, events[i]);
		write_at(&rig.bus, STATUS, 2, (uint16_t)~events[i]);
		assert_true(rig.sci.level);
		write_at(&rig.bus, STATUS, 2, events[i]);
		assert_false(rig.sci.level);
		assert_int_equal(read_at(&rig.bus, STATUS, 2), 0);
		pm1_raise(&rig.pm1, events[i]);
		assert_true(rig.sci.level);
	}
}

static void clearing_one_keeps_the_other(void **state)
{
	struct rig rig;

	rig_init(&rig);
	write_at(&rig.bus, ENABLE, 2, PM1_GLOBAL_LOCK | PM1_POWER_BUTTON);
	pm1_raise(&rig.pm1, PM1_GLOBAL_LOCK);
	pm1_raise(&rig.pm1, PM1_POWER_BUTTON);
	write_at(&rig.bus, STATUS, 2, PM1_GLOBAL_LOCK);
	assert_int_equal(read_at(&rig.bus, STATUS, 2), PM1_POWER_BUTTON);
	assert_true(rig.sci.level);
	write_at(&rig.bus, STATUS, 1, 0xff); /* the low byte only */
	assert_true(rig.sci.level);
	write_at(&rig.bus, STATUS + 1, 1, 0x01);
	assert_false(rig.sci.level);
	assert_int_equal(rig.sci.rises, 1);
}

/* A word over the end of status and the start of enable goes to both, by bytes. */
static void straddling_word(void **state)
{
	struct rig rig;

	rig_init(&rig);
	write_at(&rig.bus, ENABLE, 2, 0x0700);
	pm1_raise(&rig.pm1, PM1_RTC);
	assert_int_equal(read_at(&rig.bus, STATUS + 1, 2), 0x0004);
	write_at(&rig.bus, STATUS + 1, 2, 0x2104);
	assert_int_equal(read_at(&rig.bus, STATUS, 2), 0);
	assert_int_equal(read_at(&rig.bus, ENABLE, 2), 0x0721);
}

static void control_register(void **state)
{
	static const struct {
		uint16_t written, read;
		unsigned power_offs;
	} rows[] = {
		{0x0000, SCI_EN, 0}, /* SCI_EN is the hardware's */
		{0x0002, SCI_EN | 2, 0},
		{0x0004, SCI_EN, 0}, /* GBL_RLS is write only */
		{0xdfff, SCI_EN | 0x1c02, 0},
		{MAP_SLP_TYP_S5 << 10 | SLP_EN, SCI_EN | MAP_SLP_TYP_S5 << 10, 1},
		{(MAP_SLP_TYP_S5 ^ 1) << 10 | SLP_EN, SCI_EN | (MAP_SLP_TYP_S5 ^ 1) << 10, 0},
		{(MAP_SLP_TYP_S5 ^ 7) << 10 | SLP_EN, SCI_EN | (MAP_SLP_TYP_S5 ^ 7) << 10, 0},
		{MAP_SLP_TYP_S5 << 10, SCI_EN | MAP_SLP_TYP_S5 << 10, 0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		write_at(&rig.bus, CONTROL, 2, rows[i].written);
		assert_int_equal(read_at(&rig.bus, CONTROL, 2), rows[i].read);
		assert_int_equal(rig.power_offs, rows[i].power_offs);
		assert_int_equal(rig.resets, 0);
	}
}

/* SLP_EN in a byte of its own takes the sleep type written with it. */
static void control_by_bytes(void **state)
{
	struct rig rig;

	rig_init(&rig);
	write_at(&rig.bus, CONTROL, 1, 0xff);
	assert_int_equal(read_at(&rig.bus, CONTROL, 2), SCI_EN | 2);
	assert_int_equal(rig.power_offs, 0);
	write_at(&rig.bus, CONTROL + 1, 1, (MAP_SLP_TYP_S5 << 10 | SLP_EN) >> 8);
	assert_int_equal(rig.power_offs, 1);
	assert_int_equal(read_at(&rig.bus, CONTROL, 2), SCI_EN | 2 | MAP_SLP_TYP_S5 << 10);
	assert_int_equal(read_at(&rig.bus, CONTROL + 1, 1), MAP_SLP_TYP_S5 << 2);
}

static void reset_register(void **state)
{
	static const struct {
		uint8_t written, read;
		unsigned resets;
	} rows[] = {
		{0x00, 0x00, 0}, {0x02, 0x02, 0}, {MAP_RESET_VALUE, 0x02, 1},
		{0x0e, 0x0a, 1}, {0xfb, 0xfb, 0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		write_at(&rig.bus, RESET, 1, rows[i].written);
		assert_int_equal(rig.resets, rows[i].resets);
		assert_int_equal(read_at(&rig.bus, RESET, 1), rows[i].read);
		assert_int_equal(rig.power_offs, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_on),
		cmocka_unit_test(only_events_can_be_enabled),
		cmocka_unit_test(sci_follows_status_and_enable),
		cmocka_unit_test(clearing_one_keeps_the_other),
		cmocka_unit_test(straddling_word),
		cmocka_unit_test(control_register),
		cmocka_unit_test(control_by_bytes),
		cmocka_unit_test(reset_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
