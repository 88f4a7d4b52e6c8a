/* ACPI PM timer: exact at any time, in both widths, whatever is written to it. */
#include "fake.h"

#include "vmm/devices/pmtimer.h"

#define PORT 0x608

struct rig {
	struct fake_clock clock;
	struct fake_bus bus;
	struct pmtimer timer;
};

static void rig_init(struct rig *rig, unsigned width_bits, uint32_t start_ticks)
{
	fake_clock_init(&rig->clock);
	fake_bus_init(&rig->bus);
	pmtimer_init(&rig->timer, &rig->clock.vclock, width_bits, start_ticks);
	fake_bus_add(&rig->bus, pmtimer_region(&rig->timer, PORT, NULL));
}

static uint32_t ticks_at(struct rig *rig, uint64_t now_ns)
{
	rig->clock.now_ns = now_ns;
	return (uint32_t)read_at(&rig->bus, PORT, 4);
}

/* The definition, in numbers wide enough: the start is the first ns that has its ticks. */
static unsigned __int128 whole_count(uint64_t now_ns, uint32_t start)
{
	unsigned __int128 start_ns = 0;

	if (start)
		start_ns = ((unsigned __int128)start * 1000000000 - 1) / 3579545 + 1;
	return (now_ns + start_ns) * 3579545 / 1000000000;
}

static uint32_t oracle(uint64_t now_ns, uint32_t start, unsigned width_bits)
{
	return (uint32_t)(whole_count(now_ns, start) % ((unsigned __int128)1 << width_bits));
}

static void known_values(void **state)
{
	static const struct {
		uint64_t now_ns;
		uint32_t ticks32;
	} rows[] = {
		{0, 0},
		{279, 0}, /* a tick is 279.365… ns */
		{280, 1},
		{558, 1},
		{559, 2},
		{NS_PER_S - 1, 3579544},
		{NS_PER_S, 3579545},
		{60 * NS_PER_S, 214772700},
		{UINT64_C(1199864031881), 4294967295},
		{UINT64_C(1199864031882), 0},
		{UINT64_C(1) << 63, 1523769184},
		{UINT64_MAX, 3047538368},
	};
	struct rig rig;

	rig_init(&rig, 32, 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(ticks_at(&rig, rows[i].now_ns), rows[i].ticks32);
}

static void exact_at_far_times(void **state)
{
	static const uint32_t starts[] = {0, 1, 0x7ffc18, 0xfffc18, 0x80000000, 0xffffffff};
	static const unsigned widths[] = {24, 32};

	for (unsigned i = 0; i < 12; i++) {
		uint32_t start = starts[i / 2];
		unsigned width = widths[i % 2];
		struct rig rig;

		rig_init(&rig, width, start);
		for (unsigned bit = 9; bit < 64; bit++) {
			for (int64_t d = -300; d <= 300; d++) {
				uint64_t now = (UINT64_C(1) << bit) + (uint64_t)d;

				assert_int_equal(ticks_at(&rig, now), oracle(now, start, width));
			}
		}
	}
}

/* BC-01: a reader that comes often finds the same time as one that comes seldom. */
static void reading_loses_nothing(void **state)
{
	struct rig often, seldom;
	uint64_t now;

	rig_init(&often, 32, 7);
	rig_init(&seldom, 32, 7);
	for (now = 0; now < NS_PER_S; now += 997)
		ticks_at(&often, now);
	assert_int_equal(ticks_at(&often, now), ticks_at(&seldom, now));
	assert_int_equal(ticks_at(&often, now), oracle(now, 7, 32));
}

static void wraps_at_its_width(void **state)
{
	struct rig rig;

	rig_init(&rig, 24, 0xffffff);
	assert_int_equal(ticks_at(&rig, 0), 0xffffff);
	assert_int_equal(ticks_at(&rig, 278), 0xffffff);
	assert_int_equal(ticks_at(&rig, 280), 0);
	rig_init(&rig, 32, 0xffffff);
	assert_int_equal(ticks_at(&rig, 280), 0x1000000);
	rig_init(&rig, 32, 0xffffffff);
	assert_int_equal(ticks_at(&rig, 0), 0xffffffff);
	assert_int_equal(ticks_at(&rig, 280), 0);
}

static bool top_bit(struct rig *rig, uint64_t now_ns, unsigned width_bits)
{
	return ticks_at(rig, now_ns) >> (width_bits - 1);
}

/* Half `half` begins at its first ns: the top bit has changed then, and not 1 ns before. */
static void check_begin(struct rig *rig, uint64_t half, unsigned width_bits)
{
	uint64_t begin_ns = pmtimer_half_begin_ns(&rig->timer, half);

	assert_int_equal(top_bit(rig, begin_ns, width_bits), half & 1);
	assert_int_equal(pmtimer_half(&rig->timer), half);
	assert_int_equal(top_bit(rig, begin_ns - 1, width_bits), !(half & 1));
	assert_int_equal(pmtimer_half(&rig->timer), half - 1);
}

/* BC-04: a deadline is never a tick, nor a ns, early or late, however far. */
static void halves_begin_where_the_top_bit_changes(void **state)
{
	static const uint32_t starts[] = {0, 1, 0x7ffc18, 0xfffc18};
	static const unsigned widths[] = {24, 32};

	for (unsigned i = 0; i < 8; i++) {
		unsigned width = widths[i % 2];
		struct rig rig;

		rig_init(&rig, width, starts[i / 2]);
		for (unsigned bit = 2; bit < 24; bit++)
			for (unsigned d = 0; d < 40; d++)
				check_begin(&rig, (UINT64_C(1) << bit) + d, width);
	}
}

static void halves_beyond_time_never_begin(void **state)
{
	struct rig rig;

	rig_init(&rig, 32, 5);
	assert_true(pmtimer_half_begin_ns(&rig.timer, UINT64_MAX) == UINT64_MAX);
	assert_true(pmtimer_half_begin_ns(&rig.timer, UINT64_C(1) << 36) == UINT64_MAX);
	assert_int_equal(pmtimer_half_begin_ns(&rig.timer, 0), 0);
}

static void writes_and_other_sizes_change_nothing(void **state)
{
	static const uint32_t values[] = {0, 1, 0x7f, 0x80, 0xff, 0xffffffff};
	struct rig rig;

	rig_init(&rig, 24, 5);
	for (unsigned i = 0; i < 6; i++)
		for (unsigned size = 1; size <= 4; size *= 2)
			write_at(&rig.bus, PORT, size, values[i]);
	assert_int_equal(ticks_at(&rig, 0), 5);
	assert_int_equal(read_at(&rig.bus, PORT, 1), 0xff);
	assert_int_equal(read_at(&rig.bus, PORT, 2), 0xffff);
	assert_int_equal(read_at(&rig.bus, PORT + 1, 4), 0xffffffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(exact_at_far_times),
		cmocka_unit_test(reading_loses_nothing),
		cmocka_unit_test(wraps_at_its_width),
		cmocka_unit_test(halves_begin_where_the_top_bit_changes),
		cmocka_unit_test(halves_beyond_time_never_begin),
		cmocka_unit_test(writes_and_other_sizes_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
