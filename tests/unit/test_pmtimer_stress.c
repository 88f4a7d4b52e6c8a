/*
 * The PM timer read flat out by four threads, without a lock, while virtual time is
 * stopped and resumed and two more threads poll and serve PM1 (BC-03). A reader must
 * never see less than what another had seen before it began: 10^7 reads, 0 steps back.
 *
 * Readers hand what they saw on through one word, which only ever grows: the counter's
 * top bit changes once meanwhile, and it wraps long after the end.
 */
#include "fake.h"

#include <sched.h>
#include <stdatomic.h>

#include "vmm/devices/pm1.h"
#include "vmm/machine_timers.h"
#include "vmm/virtual_clock.h"

#define READERS	    4
#define READS	    10000000
#define SHARE_TURNS 16	       /* reads between two looks at the others' */
#define STOP_TURNS  64	       /* stops between two turns of the host's other threads */
#define START	    0x7fff0000 /* 18 ms before the top bit changes, 600 s before the wrap */
#define TIMER_PORT  0x608
#define STATUS_PORT 0x600
#define ENABLE_PORT 0x602

struct rig {
	struct virtual_clock clock;
	struct machine_timers timers;
	struct fake_bus bus;
	struct pmtimer timer;
	struct event_timer event;
	struct irq_line sci;
	struct pm1 pm1;
	pthread_mutex_t pm1_lock;
	atomic_uint seen; /* the latest count that any reader has published */
	atomic_uint readers_left, steps_back, stops, changes;
	atomic_bool sci_level;
};

static void set_sci(void *opaque, bool level)
{
	atomic_store(&((struct rig *)opaque)->sci_level, level);
}

static void nothing(void *opaque)
{
}

static uint32_t read_count(struct rig *rig)
{
	return (uint32_t)read_at(&rig->bus, TIMER_PORT, 4);
}

static void publish(struct rig *rig, uint32_t count)
{
	uint32_t seen = atomic_load(&rig->seen);

	while (seen < count && !atomic_compare_exchange_weak(&rig->seen, &seen, count))
		;
}

static void *reader(void *opaque)
{
	struct rig *rig = opaque;
	uint32_t last = 0;

	for (unsigned i = 0; i < READS / READERS; i++) {
		uint32_t seen = i % SHARE_TURNS ? last : atomic_load(&rig->seen);
		uint32_t count = read_count(rig);

		if (count < last || count < seen)
			atomic_fetch_add(&rig->steps_back, 1);
		last = count;
		if (i % SHARE_TURNS == 0)
			publish(rig, count);
	}
	atomic_fetch_sub(&rig->readers_left, 1);
	return NULL;
}

/* Pause and resume, as fast as they go. */
static void *stopper(void *opaque)
{
	struct rig *rig = opaque;

	while (atomic_load(&rig->readers_left)) {
		for (unsigned i = 0; i < STOP_TURNS; i++) {
			virtual_clock_stop(&rig->clock);
			virtual_clock_resume(&rig->clock);
		}
		atomic_fetch_add(&rig->stops, STOP_TURNS);
		sched_yield();
	}
	return NULL;
}

/* A guest that polls the status: counts the changes of the top bit, and clears each. */
static void *poller(void *opaque)
{
	struct rig *rig = opaque;

	write_at(&rig->bus, ENABLE_PORT, 2, PM1_TIMER);
	while (atomic_load(&rig->readers_left)) {
		if (read_at(&rig->bus, STATUS_PORT, 2) & PM1_TIMER) {
			write_at(&rig->bus, STATUS_PORT, 2, PM1_TIMER);
			atomic_fetch_add(&rig->changes, 1);
		}
		sched_yield();
	}
	return NULL;
}

/* The main loop: whatever is due, as often as it can be asked for. */
static void *timer_server(void *opaque)
{
	struct rig *rig = opaque;

	while (atomic_load(&rig->readers_left)) {
		machine_timers_run(&rig->timers);
		sched_yield();
	}
	return NULL;
}

static void rig_init(struct rig *rig)
{
	struct pm1_ops ops = {nothing, nothing, NULL};
	struct error e;

	fake_bus_init(&rig->bus);
	pthread_mutex_init(&rig->pm1_lock, NULL);
	virtual_clock_start(&rig->clock);
	assert_int_equal(machine_timers_init(&rig->timers, &rig->clock, &e), 0);
	rig->sci = (struct irq_line){set_sci, rig};
	rig->event = machine_timers_add(&rig->timers, "pm1", pm1_timer_event, &rig->pm1,
					&rig->pm1_lock);
	pmtimer_init(&rig->timer, &rig->clock.vclock, 32, START);
	pm1_init(&rig->pm1, &rig->timer, &rig->event, &rig->sci, &ops);
	fake_bus_add(&rig->bus, pmtimer_region(&rig->timer, TIMER_PORT, NULL));
	fake_bus_add(&rig->bus, pm1_event_region(&rig->pm1, STATUS_PORT, &rig->pm1_lock));
	atomic_init(&rig->readers_left, READERS);
}

static void ten_million_reads_never_step_back(void **state)
{
	static void *(*const others[])(void *) = {stopper, poller, timer_server};
	static struct rig rig;
	pthread_t threads[READERS + 3];

	rig_init(&rig);
	for (unsigned i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader, &rig), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[READERS + i], NULL, others[i], &rig), 0);
	for (unsigned i = 0; i < READERS + 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(rig.steps_back, 0);
	assert_true(rig.stops > STOP_TURNS); /* the test tested */
	assert_true(rig.seen > UINT32_C(1) << 31);
	assert_int_equal(rig.changes, 1);
	assert_false(rig.sci_level);
	machine_timers_free(&rig.timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_million_reads_never_step_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
