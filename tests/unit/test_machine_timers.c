/*
 * Virtual time that stops and resumes, and the machine's timers on it: on the host's
 * clock, so that only order is asserted, never how long something took.
 */
#include "fake.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

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

/* A clock that stands: whoever moves it serves what is due then, in one go, and on time. */
static void standing_time_is_moved_by_hand(void **state)
{
	struct device first, second;
	struct rig rig;

	virtual_clock_start(&rig.clock);
	virtual_clock_stand(&rig.clock);
	assert_int_equal(virtual_clock_ns(&rig.clock), 0);
	assert_int_equal(machine_timers_init(&rig.timers, &rig.clock, &(struct error){0}), 0);
	add(&rig, &first);
	add(&rig, &second);
	assert_true(machine_timers_next_ns(&rig.timers) == EVENT_NEVER);
	event_timer_arm(&second.timer, 365 * 86400 * NS_PER_S);
	event_timer_arm(&first.timer, 1500);
	assert_int_equal(machine_timers_next_ns(&rig.timers), 1500);

	assert_int_equal(virtual_clock_move_by(&rig.clock, 1000), 1000);
	machine_timers_run(&rig.timers);
	assert_int_equal(first.events, 0);
	assert_int_equal(virtual_clock_move_by(&rig.clock, 1000), 2000);
	machine_timers_run(&rig.timers);
	assert_int_equal(first.events, 1);
	assert_int_equal(virtual_clock_move_to(&rig.clock, 1500), 2000); /* never back */

	virtual_clock_move_to(&rig.clock, machine_timers_next_ns(&rig.timers));
	machine_timers_run(&rig.timers);
	assert_int_equal(second.last_ns, 365 * 86400 * NS_PER_S);
	assert_true(machine_timers_next_ns(&rig.timers) == EVENT_NEVER);
	assert_false(serve(&rig, 2)); /* the host's timer never went off */
	assert_int_equal(first.events + second.events, 2);
	machine_timers_free(&rig.timers);
}

static void wakeups_and_lateness_are_counted(void **state)
{
	struct device idle, busy;
	struct rig rig;

	virtual_clock_start(&rig.clock);
	virtual_clock_stand(&rig.clock);
	assert_int_equal(machine_timers_init(&rig.timers, &rig.clock, &(struct error){0}), 0);
	add(&rig, &idle);
	add(&rig, &busy);
	for (unsigned i = 1; i <= 4; i++) {
		event_timer_arm(&busy.timer, i * 1000);
		virtual_clock_move_to(&rig.clock, i * 1000 + i);
		machine_timers_run(&rig.timers);
	}
	assert_int_equal(rig.timers.timers[0].wakeups, 0);
	assert_int_equal(rig.timers.timers[1].wakeups, 4);
	assert_int_equal(rig.timers.timers[1].late_sum_ns, 1 + 2 + 3 + 4);
	assert_int_equal(rig.timers.timers[1].late_max_ns, 4);
	machine_timers_free(&rig.timers);
}

/* A device of the timers' own thread: counted under its lock, which the test takes to look. */
static unsigned events_of(struct device *device)
{
	unsigned events;

	pthread_mutex_lock(&device->lock);
	events = device->events;
	pthread_mutex_unlock(&device->lock);
	return events;
}

static void a_thread_of_their_own_serves_them(void **state)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MS};
	int end_fd = eventfd(0, 0);
	struct device device;
	struct rig rig;

	rig_init(&rig);
	add(&rig, &device);
	assert_int_equal(machine_timers_start_thread(&rig.timers, end_fd, &(struct error){0}), 0);
	for (unsigned i = 1; i <= 20; i++) {
		event_timer_arm(&device.timer, virtual_clock_ns(&rig.clock) + i * 50000);
		for (unsigned ms = 0; ms < WAIT_MS && events_of(&device) < i; ms++)
			nanosleep(&pause, NULL);
		assert_int_equal(events_of(&device), i);
	}
	eventfd_write(end_fd, 1);
	machine_timers_join_thread(&rig.timers);
	machine_timers_join_thread(&rig.timers); /* it may be called where there is none */
	assert_int_equal(rig.timers.timers[0].wakeups, 20);
	machine_timers_free(&rig.timers);
	close(end_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_off_once_and_never_early),
		cmocka_unit_test(serves_each_in_its_order),
		cmocka_unit_test(past_far_and_never),
		cmocka_unit_test(stopped_time_stands_and_goes_on),
		cmocka_unit_test(standing_time_is_moved_by_hand),
		cmocka_unit_test(wakeups_and_lateness_are_counted),
		cmocka_unit_test(a_thread_of_their_own_serves_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
