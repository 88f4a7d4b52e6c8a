/*
 * Virtual time that stops and resumes, and the machine's timers on it: on the host's
 * clock, so that only order is asserted, never how long something took.
 */
#include "fake.h"

#include <errno.h>
#include <poll.h>

#include "vmm/machine_timers.h"
#include "vmm/virtual_clock.h"

#define NS_PER_MS UINT64_C(1000000)
#define WAIT_MS	  10000 /* a host that needs longer has stalled */

struct rig {
	struct virtual_clock clock;
	struct machine_timers timers;
};

struct device {
	pthread_mutex_t lock;
	struct virtual_clock *clock;
	struct event_timer timer;
	unsigned events;
	uint64_t last_ns;
};

static void rig_init(struct rig *rig)
{
	struct error e;

	virtual_clock_start(&rig->clock);
	assert_int_equal(machine_timers_init(&rig->timers, &rig->clock, &e), 0);
}

static void on_event(void *opaque)
{
	struct device *device = opaque;

	assert_int_equal(pthread_mutex_trylock(&device->lock), EBUSY);
	device->events++;
	device->last_ns = virtual_clock_ns(device->clock);
}

static void add(struct rig *rig, struct device *device)
{
	*device = (struct device){.lock = PTHREAD_MUTEX_INITIALIZER, .clock = &rig->clock};
	device->timer = machine_timers_add(&rig->timers, "device", on_event, device, &device->lock);
}

/* What the main loop does. False: nothing came within the time. */
static bool serve(struct rig *rig, int wait_ms)
{
	struct pollfd source = {.fd = rig->timers.fd, .events = POLLIN};

	if (poll(&source, 1, wait_ms) != 1)
		return false;
	machine_timers_run(&rig->timers);
	return true;
}

static void goes_off_once_and_never_early(void **state)
{
	struct device device;
	struct rig rig;

	rig_init(&rig);
	add(&rig, &device);
	for (unsigned i = 1; i <= 20; i++) {
		uint64_t at_ns = virtual_clock_ns(&rig.clock) + i * 100000 + i;

		event_timer_arm(&device.timer, at_ns);
		while (device.events < i)
			assert_true(serve(&rig, WAIT_MS));
		assert_true(device.last_ns >= at_ns);
	}
	assert_false(serve(&rig, 20));
	assert_int_equal(device.events, 20);
	machine_timers_free(&rig.timers);
}

static void serves_each_in_its_order(void **state)
{
	struct device first, second;
	struct rig rig;
	uint64_t now_ns;

	rig_init(&rig);
	add(&rig, &second);
	add(&rig, &first);
	now_ns = virtual_clock_ns(&rig.clock);
	event_timer_arm(&second.timer, now_ns + 60 * NS_PER_MS);
	event_timer_arm(&first.timer, now_ns + 2 * NS_PER_MS);
	while (!first.events || !second.events)
		assert_true(serve(&rig, WAIT_MS));
	assert_true(first.last_ns <= second.last_ns);
	assert_int_equal(first.events + second.events, 2);
	machine_timers_free(&rig.timers);
}

/* Past deadlines come at once (BC-29), far ones and none never, whatever their size. */
static void past_far_and_never(void **state)
{
	static const uint64_t far_ns[] = {UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX - 1,
					  EVENT_NEVER};
	struct device device;
	struct rig rig;

	rig_init(&rig);
	add(&rig, &device);
	event_timer_arm(&device.timer, 0);
	assert_true(serve(&rig, WAIT_MS));
	assert_int_equal(device.events, 1);
	for (unsigned i = 0; i < 4; i++) {
		event_timer_arm(&device.timer, virtual_clock_ns(&rig.clock) + NS_PER_S);
		event_timer_arm(&device.timer, far_ns[i]);
		assert_false(serve(&rig, 2));
	}
	assert_int_equal(device.events, 1);
	machine_timers_free(&rig.timers);
}

static void stopped_time_stands_and_goes_on(void **state)
{
	struct device device;
	struct rig rig;
	uint64_t stood_ns;

	rig_init(&rig);
	add(&rig, &device);
	event_timer_arm(&device.timer, virtual_clock_ns(&rig.clock) + 3 * NS_PER_MS);
	virtual_clock_stop(&rig.clock);
	machine_timers_run(&rig.timers);
	stood_ns = virtual_clock_ns(&rig.clock);
	device.events = 0; /* it may have been due before the stop */
	assert_false(serve(&rig, 20));
	assert_int_equal(virtual_clock_ns(&rig.clock), stood_ns);
	assert_true(virtual_clock_host_ns(&rig.clock, stood_ns + 1) == UINT64_MAX);

	event_timer_arm(&device.timer, stood_ns + NS_PER_MS);
	assert_false(serve(&rig, 5));
	virtual_clock_resume(&rig.clock);
	machine_timers_run(&rig.timers);
	while (!device.events)
		assert_true(serve(&rig, WAIT_MS));
	assert_true(device.last_ns >= stood_ns + NS_PER_MS);
	machine_timers_free(&rig.timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_off_once_and_never_early),
		cmocka_unit_test(serves_each_in_its_order),
		cmocka_unit_test(past_far_and_never),
		cmocka_unit_test(stopped_time_stands_and_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
