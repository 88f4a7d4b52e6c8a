/* I/O APIC: registers, messages, edges and levels, end of interrupt. */
#include "fake.h"

#include "vmm/devices/ioapic.h"

#define BASE UINT64_C(0xfec00000)

/* Low half of a redirection entry. */
enum { MASKED = 1 << 16, LEVEL = 1 << 15, REMOTE_IRR = 1 << 14, ACTIVE_LOW = 1 << 13 };

struct rig {
	struct fake_bus bus;
	struct ioapic ioapic;
	unsigned delivered, route_changes;
	uint64_t address;
	uint32_t data;
	unsigned changes_at_delivery;
	uint32_t data_at_change; /* of pin 4, as routes_changed sees it */
};

static void deliver(void *opaque, uint64_t address, uint32_t data)
{
	struct rig *rig = opaque;

	rig->delivered++;
	rig->address = address;
	rig->data = data;
	rig->changes_at_delivery = rig->route_changes;
}

static void routes_changed(void *opaque)
{
	struct rig *rig = opaque;
	uint64_t address;
	bool masked;

	rig->route_changes++;
	ioapic_message(&rig->ioapic, 4, &address, &rig->data_at_change, &masked);
}

static void rig_init(struct rig *rig)
{
	struct ioapic_ops ops = {deliver, routes_changed, rig};

	fake_bus_init_mmio(&rig->bus);
	rig->delivered = rig->route_changes = 0;
	ioapic_init(&rig->ioapic, &ops);
	fake_bus_add(&rig->bus, ioapic_region(&rig->ioapic, BASE, NULL));
}

static uint32_t get(struct rig *rig, uint8_t reg)
{
	write_at(&rig->bus, BASE, 4, reg);
	return (uint32_t)read_at(&rig->bus, BASE + 0x10, 4);
}

static void set(struct rig *rig, uint8_t reg, uint32_t value)
{
	write_at(&rig->bus, BASE, 4, reg);
	write_at(&rig->bus, BASE + 0x10, 4, value);
}

static uint32_t get_low(struct rig *rig, unsigned pin)
{
	return get(rig, (uint8_t)(0x10 + pin * 2));
}

static void set_low(struct rig *rig, unsigned pin, uint32_t value)
{
	set(rig, (uint8_t)(0x10 + pin * 2), value);
}

static void power_on(void **state)
{
	struct rig rig;

	rig_init(&rig);
	assert_int_equal(get(&rig, 0), 0);
	assert_int_equal(get(&rig, 1), 0x00170011);
	assert_int_equal(get(&rig, 2), 0);
	for (unsigned pin = 0; pin < IOAPIC_PINS; pin++) {
		uint64_t address;
		uint32_t data;
		bool masked;

		assert_int_equal(get_low(&rig, pin), MASKED);
		assert_int_equal(get(&rig, (uint8_t)(0x11 + pin * 2)), 0);
		ioapic_message(&rig.ioapic, pin, &address, &data, &masked);
		assert_true(masked);
	}
}

static void registers(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set(&rig, 0, 0xffffffff);
	assert_int_equal(get(&rig, 0), 0x0f000000);
	assert_int_equal(get(&rig, 2), 0x0f000000);
	set(&rig, 1, 0);
	assert_int_equal(get(&rig, 1), 0x00170011);
	for (unsigned pin = 0; pin < IOAPIC_PINS; pin++) {
		set_low(&rig, pin, 0xffffffff); /* status and remote IRR are read only */
		set(&rig, (uint8_t)(0x11 + pin * 2), 0xffffffff);
		assert_int_equal(get_low(&rig, pin), 0x0001afff);
		assert_int_equal(get(&rig, (uint8_t)(0x11 + pin * 2)), 0xff000000);
	}
	assert_int_equal(rig.route_changes, 2 * IOAPIC_PINS);
}

static void elsewhere_is_ones(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (unsigned reg = 3; reg < 256; reg++) {
		if (reg >= 0x10 && reg < 0x40)
			continue;
		set(&rig, (uint8_t)reg, 0);
		assert_int_equal(get(&rig, (uint8_t)reg), 0xffffffff);
	}
	assert_int_equal(rig.route_changes, 0);
	write_at(&rig.bus, BASE, 4, 1);
	write_at(&rig.bus, BASE + 4, 4, 0);
	assert_int_equal(read_at(&rig.bus, BASE, 4), 1);
	assert_int_equal(read_at(&rig.bus, BASE + 4, 4), 0xffffffff);
	assert_int_equal(read_at(&rig.bus, BASE, 1), 0xff);
	assert_int_equal(read_at(&rig.bus, BASE + 0x10, 8), UINT64_MAX);
	assert_int_equal(read_at(&rig.bus, BASE + 0x40, 4), 0xffffffff);
}

static void messages(void **state)
{
	static const struct {
		uint32_t low, high;
		uint64_t address;
		uint32_t data;
		bool masked;
	} rows[] = {
		{0x00000031, 0x00000000, 0xfee00000, 0x0031, false},
		{0x00000031, 0xff000000, 0xfeeff000, 0x0031, false},
		{0x00000831, 0x03000000, 0xfee03004, 0x0031, false}, /* logical */
		{0x00000131, 0x01000000, 0xfee01000, 0x0131, false}, /* lowest priority */
		{0x00000400, 0x01000000, 0xfee01000, 0x0400, false}, /* NMI */
		{0x00008031, 0x01000000, 0xfee01000, 0xc031, false}, /* level */
		{0x0000a0ff, 0x01000000, 0xfee01000, 0xc0ff, false}, /* level, active low */
		{0x00010031, 0x01000000, 0xfee01000, 0x0031, true},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;
		uint64_t address;
		uint32_t data;
		bool masked;

		rig_init(&rig);
		set(&rig, 0x11 + 2 * 23, rows[i].high);
		set_low(&rig, 23, rows[i].low);
		ioapic_message(&rig.ioapic, 23, &address, &data, &masked);
		assert_int_equal(address, rows[i].address);
		assert_int_equal(data, rows[i].data);
		assert_int_equal(masked, rows[i].masked);
		ioapic_set_line(&rig.ioapic, 23, true);
		assert_int_equal(rig.delivered, !rows[i].masked);
		if (rig.delivered) {
			assert_int_equal(rig.address, rows[i].address);
			assert_int_equal(rig.data, rows[i].data);
		}
	}
}

static void edges(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 4, 0x31);
	ioapic_set_line(&rig.ioapic, 4, true);
	assert_int_equal(rig.delivered, 1);
	ioapic_set_line(&rig.ioapic, 4, true); /* idempotent */
	ioapic_set_line(&rig.ioapic, 4, false);
	assert_int_equal(rig.delivered, 1);
	ioapic_set_line(&rig.ioapic, 4, true);
	assert_int_equal(rig.delivered, 2);
	assert_int_equal(get_low(&rig, 4), 0x31);
	ioapic_eoi(&rig.ioapic, 0x31); /* nothing to end */
	assert_int_equal(rig.delivered, 2);
}

static void an_edge_on_a_masked_pin_is_lost(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 4, MASKED | 0x31);
	ioapic_set_line(&rig.ioapic, 4, true);
	set_low(&rig, 4, 0x31);
	assert_int_equal(rig.delivered, 0);
	ioapic_set_line(&rig.ioapic, 4, false);
	ioapic_set_line(&rig.ioapic, 4, true);
	assert_int_equal(rig.delivered, 1);
}

/* BC-30: a level is delivered once, and again after its EOI for as long as it is asserted. */
static void level_is_delivered_again_after_eoi(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 9, LEVEL | 0x39);
	ioapic_set_line(&rig.ioapic, 9, true);
	assert_int_equal(rig.delivered, 1);
	assert_int_equal(get_low(&rig, 9), LEVEL | REMOTE_IRR | 0x39);
	ioapic_set_line(&rig.ioapic, 9, false);
	ioapic_set_line(&rig.ioapic, 9, true); /* in service: not again */
	assert_int_equal(rig.delivered, 1);
	ioapic_eoi(&rig.ioapic, 0x38); /* another vector */
	assert_int_equal(rig.delivered, 1);
	ioapic_eoi(&rig.ioapic, 0x39);
	assert_int_equal(rig.delivered, 2);
	assert_int_equal(get_low(&rig, 9), LEVEL | REMOTE_IRR | 0x39);
	ioapic_set_line(&rig.ioapic, 9, false);
	ioapic_eoi(&rig.ioapic, 0x39);
	assert_int_equal(rig.delivered, 2);
	assert_int_equal(get_low(&rig, 9), LEVEL | 0x39);
	ioapic_set_line(&rig.ioapic, 9, true);
	assert_int_equal(rig.delivered, 3);
}

static void level_and_mask(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 9, MASKED | LEVEL | 0x39);
	ioapic_set_line(&rig.ioapic, 9, true);
	assert_int_equal(rig.delivered, 0);
	set_low(&rig, 9, LEVEL | 0x39); /* still asserted when it is unmasked */
	assert_int_equal(rig.delivered, 1);
	set_low(&rig, 9, MASKED | LEVEL | 0x39);
	ioapic_eoi(&rig.ioapic, 0x39);
	assert_int_equal(rig.delivered, 1);
	assert_int_equal(get_low(&rig, 9), MASKED | LEVEL | 0x39);
	set_low(&rig, 9, LEVEL | 0x39);
	assert_int_equal(rig.delivered, 2);
}

/* Going through edge mode drops remote IRR: how Linux ends a level without an EOI. */
static void edge_mode_drops_remote_irr(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 9, LEVEL | 0x39);
	ioapic_set_line(&rig.ioapic, 9, true);
	set_low(&rig, 9, MASKED | 0x39);
	assert_int_equal(get_low(&rig, 9), MASKED | 0x39);
	set_low(&rig, 9, LEVEL | 0x39);
	assert_int_equal(rig.delivered, 2);
}

static void two_pins_of_one_vector(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 10, LEVEL | 0x50);
	set_low(&rig, 23, LEVEL | 0x50);
	ioapic_set_line(&rig.ioapic, 10, true);
	ioapic_set_line(&rig.ioapic, 23, true);
	assert_int_equal(rig.delivered, 2);
	ioapic_set_line(&rig.ioapic, 10, false);
	ioapic_eoi(&rig.ioapic, 0x50);
	assert_int_equal(rig.delivered, 3);
	assert_int_equal(get_low(&rig, 10), LEVEL | 0x50);
	assert_int_equal(get_low(&rig, 23), LEVEL | REMOTE_IRR | 0x50);
}

/* Lines say "asserted": the polarity bit is only kept. */
static void polarity_is_kept(void **state)
{
	struct rig rig;

	rig_init(&rig);
	set_low(&rig, 9, LEVEL | ACTIVE_LOW | 0x39);
	assert_int_equal(rig.delivered, 0);
	assert_int_equal(get_low(&rig, 9), LEVEL | ACTIVE_LOW | 0x39);
	ioapic_set_line(&rig.ioapic, 9, true);
	assert_int_equal(rig.delivered, 1);
}

/* The route is known before its first message goes out. */
static void routes_before_messages(void **state)
{
	struct rig rig;

	rig_init(&rig);
	ioapic_set_line(&rig.ioapic, 4, true);
	set_low(&rig, 4, LEVEL | 0x34);
	assert_int_equal(rig.delivered, 1);
	assert_int_equal(rig.changes_at_delivery, 1);
	assert_int_equal(rig.data_at_change, 0xc034);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_on),
		cmocka_unit_test(registers),
		cmocka_unit_test(elsewhere_is_ones),
		cmocka_unit_test(messages),
		cmocka_unit_test(edges),
		cmocka_unit_test(an_edge_on_a_masked_pin_is_lost),
		cmocka_unit_test(level_is_delivered_again_after_eoi),
		cmocka_unit_test(level_and_mask),
		cmocka_unit_test(edge_mode_drops_remote_irr),
		cmocka_unit_test(two_pins_of_one_vector),
		cmocka_unit_test(polarity_is_kept),
		cmocka_unit_test(routes_before_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
