/* isa-debug-exit: each size that QEMU takes ends the run with the value written. */
#include "fake.h"

#include "kernel/abi.h"
#include "vmm/devices/debug_exit.h"

struct heard {
	unsigned calls;
	uint32_t value;
};

static void hear(void *opaque, uint32_t value)
{
	struct heard *heard = opaque;

	heard->calls++;
	heard->value = value;
}

static void exits_with_the_value(void **state)
{
	static const struct {
		unsigned size;
		uint64_t written;
		uint32_t value;
	} rows[] = {{1, 0x31, 0x31}, {2, 0x1234, 0x1234}, {4, 0, 0}, {4, 0xffffffff, 0xffffffff}};
	struct heard heard = {0};
	struct debug_exit device;
	struct fake_bus bus;

	fake_bus_init(&bus);
	debug_exit_init(&device, hear, &heard);
	fake_bus_add(&bus, debug_exit_region(&device, TK_DEBUG_EXIT_PORT));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_at(&bus, TK_DEBUG_EXIT_PORT, rows[i].size, rows[i].written);
		assert_int_equal(heard.calls, i + 1);
		assert_int_equal(heard.value, rows[i].value);
	}
	assert_int_equal(read_at(&bus, TK_DEBUG_EXIT_PORT, 4), 0);
	assert_int_equal(read_at(&bus, TK_DEBUG_EXIT_PORT + 4, 1), 0xff);
	assert_int_equal(heard.calls, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_with_the_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
