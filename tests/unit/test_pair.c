/* The pair's registers: the clock latch of each vCPU, and who hears what is written. */
#include "fake.h"

#include <string.h>

#include "kernel/abi.h"
#include "vmm/devices/pair.h"

#define NULL_BASE UINT64_C(0xfed80000)

struct rig {
	struct fake_bus ports, mmio;
	struct pair pair;
	uint64_t host_ns;
	unsigned calls;
	const char *heard;
	uint32_t value;
	unsigned cpu;
};

static void hear(void *opaque, const char *what, uint32_t value, unsigned cpu)
{
	struct rig *rig = opaque;

	rig->calls++;
	rig->heard = what;
	rig->value = value;
	rig->cpu = cpu;
}

static uint64_t host_ns(void *opaque)
{
	return ((const struct rig *)opaque)->host_ns;
}

static void version(void *opaque, uint32_t value)
{
	hear(opaque, "version", value, 0);
}

static void exit_code(void *opaque, uint32_t value)
{
	hear(opaque, "exit", value, 0);
}

static void mark(void *opaque, uint32_t value, unsigned cpu)
{
	hear(opaque, "mark", value, cpu);
}

static void samples(void *opaque, uint32_t value, unsigned cpu)
{
	hear(opaque, "samples", value, cpu);
}

static void phase(void *opaque, uint32_t value, unsigned cpu)
{
	hear(opaque, "phase", value, cpu);
}

static void rig_init(struct rig *rig)
{
	struct pair_ops ops = {host_ns, version, exit_code, mark, samples, phase, rig};

	fake_bus_init(&rig->ports);
	fake_bus_init_mmio(&rig->mmio);
	rig->calls = 0;
	rig->host_ns = 0;
	pair_init(&rig->pair, &ops);
	fake_bus_add(&rig->ports, pair_region(&rig->pair, TK_IO_BASE));
	fake_bus_add(&rig->mmio, pair_null_region(&rig->pair, NULL_BASE));
}

static uint32_t in(struct rig *rig, uint32_t reg, unsigned cpu)
{
	unsigned index = bus_find(&rig->ports.bus, TK_IO_BASE + reg);

	return (uint32_t)bus_read(&rig->ports.bus, index, TK_IO_BASE + reg, 4, cpu);
}

static void out(struct rig *rig, uint32_t reg, uint32_t value, unsigned cpu)
{
	unsigned index = bus_find(&rig->ports.bus, TK_IO_BASE + reg);

	bus_write(&rig->ports.bus, index, TK_IO_BASE + reg, 4, cpu, value);
}

/* Every vCPU latches, and only then every vCPU reads the high half. */
static void clock_latch_per_cpu(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (unsigned cpu = 0; cpu < CONFIG_CPUS_MAX; cpu++) {
		rig.host_ns = (UINT64_C(0x1000) + cpu) << 32 | (0xabcd0000 + cpu);
		assert_int_equal(in(&rig, TK_REG_CLOCK_LOW, cpu), 0xabcd0000 + cpu);
	}
	rig.host_ns = 0;
	for (unsigned cpu = 0; cpu < CONFIG_CPUS_MAX; cpu++) {
		assert_int_equal(in(&rig, TK_REG_CLOCK_HIGH, cpu), 0x1000 + cpu);
		assert_int_equal(in(&rig, TK_REG_CLOCK_HIGH, cpu), 0x1000 + cpu);
	}
}

/* The halves belong together even when the clock carries between them. */
static void clock_is_latched_over_a_carry(void **state)
{
	struct rig rig;

	rig_init(&rig);
	rig.host_ns = UINT64_C(0x5ffffffff);
	assert_int_equal(in(&rig, TK_REG_CLOCK_LOW, 3), 0xffffffff);
	rig.host_ns++;
	assert_int_equal(in(&rig, TK_REG_CLOCK_HIGH, 3), 5);
	assert_int_equal(in(&rig, TK_REG_CLOCK_LOW, 3), 0);
	assert_int_equal(in(&rig, TK_REG_CLOCK_HIGH, 3), 6);
}

static void reads(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (uint32_t offset = 0; offset < TK_IO_LENGTH; offset++) {
		uint32_t value = UINT32_MAX;

		if (offset == TK_REG_CLOCK_LOW || offset == TK_REG_CLOCK_HIGH ||
		    offset == TK_REG_NULL)
			value = 0;
		else if (offset == TK_REG_VERSION)
			value = TK_ABI_VERSION;
		assert_int_equal(in(&rig, offset, 0), value);
		assert_int_equal(read_at(&rig.ports, TK_IO_BASE + offset, 1), 0xff);
		assert_int_equal(read_at(&rig.ports, TK_IO_BASE + offset, 2), 0xffff);
	}
	assert_int_equal(rig.calls, 0);
}

static void writes(void **state)
{
	static const struct {
		uint32_t reg;
		const char *heard;
		unsigned cpu;
	} rows[] = {
		{TK_REG_VERSION, "version", 0}, {TK_REG_EXIT, "exit", 0},
		{TK_REG_MARK, "mark", 7},	{TK_REG_SAMPLES, "samples", 7},
		{TK_REG_PHASE, "phase", 7},	{TK_REG_CLOCK_LOW, NULL, 0},
		{TK_REG_CLOCK_HIGH, NULL, 0},	{TK_REG_NULL, NULL, 0},
		{TK_REG_EXIT + 1, NULL, 0},	{TK_REG_EXIT + 2, NULL, 0},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		write_at(&rig.ports, TK_IO_BASE + rows[i].reg, 1, 1);
		write_at(&rig.ports, TK_IO_BASE + rows[i].reg, 2, 1);
		assert_int_equal(rig.calls, 0);
		out(&rig, rows[i].reg, 0xcafe0000 + i, 7);
		assert_int_equal(rig.calls, rows[i].heard != NULL);
		if (!rows[i].heard)
			continue;
		assert_string_equal(rig.heard, rows[i].heard);
		assert_int_equal(rig.value, 0xcafe0000 + i);
		assert_int_equal(rig.cpu, rows[i].cpu);
	}
}

static void null_page(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (unsigned size = 1; size <= 8; size *= 2) {
		write_at(&rig.mmio, NULL_BASE, size, UINT64_MAX);
		assert_int_equal(read_at(&rig.mmio, NULL_BASE, size), 0);
		assert_int_equal(read_at(&rig.mmio, NULL_BASE + 4096 - size, size), 0);
	}
	assert_int_equal(read_at(&rig.mmio, NULL_BASE + 4096, 4), 0xffffffff);
	assert_int_equal(rig.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_latch_per_cpu),
		cmocka_unit_test(clock_is_latched_over_a_carry),
		cmocka_unit_test(reads),
		cmocka_unit_test(writes),
		cmocka_unit_test(null_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
