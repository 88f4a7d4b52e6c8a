/* fw_cfg: items by key, byte by byte; zeros past the end; bounded tables. */
#include "fake.h"

#include <string.h>

#include "vmm/devices/fw_cfg.h"
#include "vmm/machine_map.h"

#define SELECTOR MAP_FW_CFG_PORT
#define DATA	 (MAP_FW_CFG_PORT + 1)

struct rig {
	struct fake_bus bus;
	struct fw_cfg fw_cfg;
};

static void rig_init(struct rig *rig)
{
	fake_bus_init(&rig->bus);
	fw_cfg_init(&rig->fw_cfg);
	fake_bus_add(&rig->bus, fw_cfg_region(&rig->fw_cfg, SELECTOR, NULL));
}

/* Selects a key and reads eight bytes, little endian. */
static uint64_t item(struct rig *rig, uint16_t key)
{
	uint64_t value = 0;

	write_at(&rig->bus, SELECTOR, 2, key);
	for (unsigned i = 0; i < 8; i++)
		value |= read_at(&rig->bus, DATA, 1) << (i * 8);
	return value;
}

static void items_by_key(void **state)
{
	uint64_t ram = UINT64_C(0x123456789abcdef0);
	uint16_t cpus = 4, cpus_max = 64;
	struct rig rig;

	rig_init(&rig);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, FW_CFG_RAM_SIZE, &ram, 8), 0);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, FW_CFG_CPUS, &cpus, 2), 0);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, FW_CFG_CPUS_MAX, &cpus_max, 2), 0);
	ram = cpus = 0;				     /* the items are copies */
	assert_int_equal(item(&rig, 0), 0x554d4551); /* "QEMU" */
	assert_int_equal(item(&rig, 15), 64);
	assert_int_equal(item(&rig, 3), UINT64_C(0x123456789abcdef0));
	assert_int_equal(item(&rig, 5), 4);
	assert_int_equal(item(&rig, 4), 0);
	assert_int_equal(item(&rig, 0xffff), 0);
}

static void selecting_starts_again(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (unsigned i = 0; i < 3; i++) {
		write_at(&rig.bus, SELECTOR, 2, 0);
		assert_int_equal(read_at(&rig.bus, DATA, 1), 'Q');
		assert_int_equal(read_at(&rig.bus, DATA, 1), 'E');
	}
	for (unsigned i = 0; i < 100; i++)
		read_at(&rig.bus, DATA, 1);
	assert_int_equal(read_at(&rig.bus, DATA, 1), 0);
}

static void other_accesses_change_nothing(void **state)
{
	struct rig rig;

	rig_init(&rig);
	write_at(&rig.bus, SELECTOR, 2, 0);
	assert_int_equal(read_at(&rig.bus, SELECTOR, 1), 0xff);
	assert_int_equal(read_at(&rig.bus, SELECTOR, 2), 0xffff);
	assert_int_equal(read_at(&rig.bus, DATA, 2), 0xffff);
	assert_int_equal(read_at(&rig.bus, SELECTOR, 4), 0xffffffff);
	write_at(&rig.bus, SELECTOR, 1, 5);
	write_at(&rig.bus, SELECTOR, 4, 5);
	write_at(&rig.bus, DATA, 1, 5);
	assert_int_equal(read_at(&rig.bus, DATA, 1), 'Q');
}

static void tables_are_bounded(void **state)
{
	uint8_t bytes[FW_CFG_DATA_BYTES] = {0};
	struct rig rig;

	rig_init(&rig);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 0, bytes, 1), -1); /* there is one already */
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 1, bytes, UINT32_MAX), -1);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 1, bytes, FW_CFG_DATA_BYTES - 3), -1);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 1, bytes, FW_CFG_DATA_BYTES - 4), 0);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 2, bytes, 1), -1);
	for (uint16_t key = 2; key < FW_CFG_ITEMS_MAX; key++)
		assert_int_equal(fw_cfg_add(&rig.fw_cfg, key, bytes, 0), 0);
	assert_int_equal(fw_cfg_add(&rig.fw_cfg, 100, bytes, 0), -1);
	assert_int_equal(item(&rig, 0), 0x554d4551);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_by_key),
		cmocka_unit_test(selecting_starts_again),
		cmocka_unit_test(other_accesses_change_nothing),
		cmocka_unit_test(tables_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
