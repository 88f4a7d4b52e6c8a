/* The port and MMIO tables: who answers, and what a bus says where nobody does. */
#include "fake.h"

#include <string.h>

/* A region that notes its accesses; the lock's state is seen from inside. */
struct probe {
	unsigned reads, writes;
	struct bus_access access;
	uint64_t value;
	pthread_mutex_t *lock;
	bool locked;
};

static void note(struct probe *probe, struct bus_access access)
{
	probe->access = access;
	if (probe->lock) {
		probe->locked = pthread_mutex_trylock(probe->lock) != 0;
		if (!probe->locked)
			pthread_mutex_unlock(probe->lock);
	}
}

static uint64_t probe_read(void *state, struct bus_access access)
{
	struct probe *probe = state;

	note(probe, access);
	probe->reads++;
	return UINT64_C(0x1122334455667788);
}

static void probe_write(void *state, struct bus_access access, uint64_t value)
{
	struct probe *probe = state;

	note(probe, access);
	probe->writes++;
	probe->value = value;
}

static struct bus_region probe_region(struct probe *probe, uint64_t base, uint64_t length,
				      uint8_t sizes)
{
	return (struct bus_region){"probe",    base,	    length, sizes,
				   probe_read, probe_write, probe,  probe->lock};
}

static int add(struct fake_bus *bus, struct probe *probe, uint64_t base, uint64_t length)
{
	struct bus_region region = probe_region(probe, base, length, 1 | 2 | 4 | 8);
	struct error e = {0};
	int result = bus_add(&bus->bus, &region, &e);

	assert_int_equal(e.exit_code, result ? 2 : 0);
	assert_true(!result == !strstr(e.text, "probe"));
	return result;
}

static void unclaimed_reads_ones(void **state)
{
	static const struct {
		unsigned size;
		uint64_t value;
	} rows[] = {{1, 0xff},	     {2, 0xffff},	    {3, 0xffffff},
		    {4, 0xffffffff}, {7, 0xffffffffffffff}, {8, UINT64_MAX}};
	struct fake_bus ports, mmio;

	fake_bus_init(&ports);
	fake_bus_init_mmio(&mmio);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_at(&ports, 0x70, rows[i].size), rows[i].value);
		assert_int_equal(read_at(&mmio, 0xfec00000, rows[i].size), rows[i].value);
		assert_int_equal(read_at(&mmio, UINT64_MAX, rows[i].size), rows[i].value);
		write_at(&ports, 0x70, rows[i].size, 0);
		write_at(&mmio, 0xfec00000, rows[i].size, 0);
	}
	assert_int_equal(bus_find(&ports.bus, BUS_PORTS), BUS_UNCLAIMED);
}

/* Every size at every offset of a region of 4 that takes `sizes`. */
static void sizes_and_ends(void **state)
{
	static const unsigned sizes[] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (unsigned taken = 0; taken < 16; taken++) {
		struct probe probe = {0};
		struct fake_bus bus;

		fake_bus_init_mmio(&bus);
		fake_bus_add(&bus, probe_region(&probe, 0x1000, 4, (uint8_t)taken));
		for (unsigned i = 0; i < 8 * 4; i++) {
			unsigned size = sizes[i / 4], offset = i % 4;
			bool power = size == 1 || size == 2 || size == 4 || size == 8;
			bool takes = power && (taken & size) && offset + size <= 4;
			uint64_t ones = size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
			uint64_t value = takes ? UINT64_C(0x1122334455667788) & ones : ones;

			memset(&probe, 0, sizeof(probe));
			assert_int_equal(read_at(&bus, 0x1000 + offset, size), value);
			write_at(&bus, 0x1000 + offset, size, UINT64_C(0xa1a2a3a4a5a6a7a8));
			assert_int_equal(probe.reads, takes);
			assert_int_equal(probe.writes, takes);
			if (!takes)
				continue;
			assert_int_equal(probe.access.offset, offset);
			assert_int_equal(probe.access.size, size);
			assert_int_equal(probe.value, UINT64_C(0xa1a2a3a4a5a6a7a8) & ones);
		}
	}
}

static void overlaps_are_refused(void **state)
{
	static const struct {
		uint64_t base, length;
		int result;
	} rows[] = {
		{0x100, 8, 0}, {0x108, 8, 0},  {0xf8, 8, 0},	  {0x107, 1, -1},
		{0xff, 2, -1}, {0x100, 8, -1}, {0x0, 0x1000, -1}, {0x102, 2, -1},
		{0x110, 1, 0}, {0xf7, 1, 0},   {0xfffe, 2, 0},	  {0x200, 0, -1},
	};
	struct probe probe = {0};
	struct fake_bus ports, mmio;

	fake_bus_init(&ports);
	fake_bus_init_mmio(&mmio);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(add(&ports, &probe, rows[i].base, rows[i].length), rows[i].result);
		assert_int_equal(add(&mmio, &probe, rows[i].base, rows[i].length), rows[i].result);
	}
	/* A refused region left nothing behind. */
	assert_int_equal(bus_find(&ports.bus, 0x50), BUS_UNCLAIMED);
	assert_int_equal(bus_find(&mmio.bus, 0x50), BUS_UNCLAIMED);
	assert_int_equal(bus_find(&ports.bus, 0x107), 1);
	assert_int_equal(bus_find(&ports.bus, 0x108), 2);
	assert_int_equal(bus_find(&mmio.bus, 0x107), 1);
	assert_int_equal(bus_find(&mmio.bus, 0x108), 2);
}

static void ends_of_the_address_space(void **state)
{
	struct probe probe = {0};
	struct fake_bus ports, mmio;

	fake_bus_init(&ports);
	fake_bus_init_mmio(&mmio);
	assert_int_equal(add(&ports, &probe, 0xffff, 2), -1);
	assert_int_equal(add(&ports, &probe, BUS_PORTS, 1), -1);
	assert_int_equal(add(&ports, &probe, 0, BUS_PORTS), 0);
	assert_int_equal(add(&mmio, &probe, UINT64_MAX, 2), -1);
	assert_int_equal(add(&mmio, &probe, UINT64_MAX - 3, 4), 0);
	assert_int_equal(add(&mmio, &probe, 0, UINT64_MAX), -1);
	assert_int_equal(add(&mmio, &probe, 0, UINT64_MAX - 3), 0);
	assert_int_equal(read_at(&mmio, UINT64_MAX, 1), 0x88);
	assert_int_equal(read_at(&mmio, UINT64_MAX, 2), 0xffff);
}

static void table_is_bounded(void **state)
{
	struct probe probe = {0};
	struct fake_bus bus;

	fake_bus_init(&bus);
	for (unsigned i = 1; i < BUS_REGIONS_MAX; i++)
		assert_int_equal(add(&bus, &probe, i * 16, 1), 0);
	assert_int_equal(add(&bus, &probe, 0x8000, 1), -1);
}

static void lock_is_held_in_accesses(void **state)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct probe probe = {.lock = &lock};
	struct fake_bus bus;

	fake_bus_init(&bus);
	fake_bus_add(&bus, probe_region(&probe, 0x60, 1, 1));
	assert_int_equal(bus_read(&bus.bus, bus_find(&bus.bus, 0x60), 0x60, 1, 63), 0x88);
	assert_true(probe.locked);
	assert_int_equal(probe.access.cpu, 63);
	probe.locked = false;
	bus_write(&bus.bus, bus_find(&bus.bus, 0x60), 0x60, 1, 62, 0x5a);
	assert_true(probe.locked);
	assert_int_equal(probe.access.cpu, 62);
	assert_int_equal(pthread_mutex_trylock(&lock), 0);
	pthread_mutex_unlock(&lock);
}

/* --lock=big: one lock for all, those that had one and those that had none. */
static void one_lock_can_guard_all(void **state)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, big = PTHREAD_MUTEX_INITIALIZER;
	struct probe with_own = {.lock = &own}, with_none = {.lock = NULL};
	struct fake_bus bus;

	fake_bus_init(&bus);
	fake_bus_add(&bus, probe_region(&with_own, 0x60, 1, 1));
	fake_bus_add(&bus, probe_region(&with_none, 0x64, 1, 1));
	bus_guard(&bus.bus, &big);
	with_own.lock = with_none.lock = &big; /* what they look at */
	read_at(&bus, 0x60, 1);
	read_at(&bus, 0x64, 1);
	assert_true(with_own.locked && with_none.locked);
	assert_int_equal(read_at(&bus, 0x62, 1), 0xff);
	assert_int_equal(pthread_mutex_trylock(&big), 0);
	assert_int_equal(pthread_mutex_trylock(&own), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unclaimed_reads_ones),
		cmocka_unit_test(sizes_and_ends),
		cmocka_unit_test(overlaps_are_refused),
		cmocka_unit_test(ends_of_the_address_space),
		cmocka_unit_test(table_is_bounded),
		cmocka_unit_test(lock_is_held_in_accesses),
		cmocka_unit_test(one_lock_can_guard_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
