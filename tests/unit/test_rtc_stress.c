/*
 * The RTC without a lock (--lock=free), as BC-11 has it. First four threads write any index
 * and read or write data there, unlocked, while the timers' thread raises interrupts and the
 * wall clock is set: nothing is torn. Then the guest's threads lock their pairs of accesses,
 * one of them serving the interrupt and one changing rate and enables: whatever that does,
 * interrupts go on coming afterwards.
 */
#include "rtc_rig.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vmm/host_clock.h"
#include "vmm/machine_timers.h"
#include "vmm/virtual_clock.h"

#define THREADS	    4
#define ACCESSES    200000 /* of each thread, unlocked */
#define CHANGES	    3000
#define QUIET	    1000	    /* interrupts after the last change */
#define PATIENCE_NS (60 * NS_PER_S) /* a host that needs longer has stalled */
#define STEP_NS	    INT64_C(3600000000000)
#define NO_REGISTER 0xee /* no register holds it while nothing above WRITTEN is written */
#define WRITTEN	    0x3f

enum { PF = 0x40, FAST = 0x23 /* 8192 Hz */ };

struct crowd {
	struct virtual_clock clock;
	struct machine_timers timers;
	struct event_timer event;
	struct irq_line line;
	struct fake_bus bus;
	struct rtc rtc;
	int end_fd;
	pthread_mutex_t guest_lock; /* round index and data, as a guest's driver has it */
	atomic_bool level, stepping, changing;
	atomic_uint edges, served, served_quiet, illegal;
};

/* As an irqfd: only the rise counts. */
static void set_line(void *opaque, bool level)
{
	struct crowd *crowd = opaque;

	if (atomic_exchange(&crowd->level, level) != level && level)
		atomic_fetch_add(&crowd->edges, 1);
}

static uint8_t locked_get(struct crowd *crowd, uint8_t index)
{
	uint8_t value;

	pthread_mutex_lock(&crowd->guest_lock);
	write_at(&crowd->bus, INDEX_PORT, 1, index);
	value = (uint8_t)read_at(&crowd->bus, DATA_PORT, 1);
	pthread_mutex_unlock(&crowd->guest_lock);
	return value;
}

static void locked_set(struct crowd *crowd, uint8_t index, uint8_t value)
{
	pthread_mutex_lock(&crowd->guest_lock);
	write_at(&crowd->bus, INDEX_PORT, 1, index);
	write_at(&crowd->bus, DATA_PORT, 1, value);
	pthread_mutex_unlock(&crowd->guest_lock);
}

static void crowd_init(struct crowd *crowd)
{
	const struct rtc_config config = {.base_ns = BASE_S * (int64_t)NS_PER_S};
	const struct rtc_wiring wiring = {
		.clock = &crowd->clock.vclock, .timer = &crowd->event, .irq = &crowd->line};
	struct error e;

	memset(crowd, 0, sizeof(*crowd));
	pthread_mutex_init(&crowd->guest_lock, NULL);
	fake_bus_init(&crowd->bus);
	virtual_clock_start(&crowd->clock);
	crowd->line = (struct irq_line){set_line, crowd};
	crowd->end_fd = eventfd(0, 0);
	assert_int_equal(machine_timers_init(&crowd->timers, &crowd->clock, &e), 0);
	crowd->event = machine_timers_add(&crowd->timers, "rtc", rtc_event, &crowd->rtc, NULL);
	rtc_init(&crowd->rtc, &config, &wiring);
	fake_bus_add(&crowd->bus, rtc_region(&crowd->rtc, INDEX_PORT, NULL));
	assert_int_equal(machine_timers_start_thread(&crowd->timers, crowd->end_fd, &e), 0);
}

static void crowd_end(struct crowd *crowd)
{
	const uint64_t one = 1;

	assert_int_equal(write(crowd->end_fd, &one, sizeof(one)), sizeof(one));
	machine_timers_join_thread(&crowd->timers);
	machine_timers_free(&crowd->timers);
	close(crowd->end_fd);
}

static void *stepper(void *opaque)
{
	struct crowd *crowd = opaque;

	for (unsigned i = 0; atomic_load(&crowd->stepping); i++) {
		rtc_step(&crowd->rtc, i % 2 ? STEP_NS : -STEP_NS);
		sched_yield();
	}
	return NULL;
}

static void *hammer(void *opaque)
{
	struct crowd *crowd = opaque;
	uint32_t random = (uint32_t)(uintptr_t)&crowd;
	unsigned illegal = 0;

	for (unsigned i = 0; i < ACCESSES; i++) {
		random = random * 1664525 + 1013904223;
		write_at(&crowd->bus, INDEX_PORT, 1, random >> 24);
		if (random & 0x700)
			illegal += read_at(&crowd->bus, DATA_PORT, 1) == NO_REGISTER;
		else
			write_at(&crowd->bus, DATA_PORT, 1, random >> 12 & WRITTEN);
	}
	atomic_fetch_add(&crowd->illegal, illegal);
	return NULL;
}

static void unlocked_accesses_tear_nothing(void **state)
{
	static struct crowd crowd;
	pthread_t threads[THREADS], step;

	crowd_init(&crowd);
	atomic_store(&crowd.stepping, true);
	pthread_create(&step, NULL, stepper, &crowd);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hammer, &crowd);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&crowd.stepping, false);
	pthread_join(step, NULL);
	assert_int_equal(crowd.illegal, 0);
	locked_set(&crowd, 0x40, 0x5a); /* it still is a chip */
	assert_int_equal(locked_get(&crowd, 0x40), 0x5a);
	assert_int_equal(locked_get(&crowd, REG_D), 0x80);
	crowd_end(&crowd);
}

/* The guest's interrupt handler: one read of C an edge. */
static void *handler(void *opaque)
{
	struct crowd *crowd = opaque;
	uint64_t until_ns = host_monotonic_ns() + PATIENCE_NS;
	unsigned seen = 0;

	while (atomic_load(&crowd->served_quiet) < QUIET && host_monotonic_ns() < until_ns) {
		unsigned edges = atomic_load(&crowd->edges);

		if (edges == seen) {
			sched_yield();
			continue;
		}
		seen = edges;
		locked_get(crowd, REG_C);
		atomic_fetch_add(&crowd->served, 1);
		if (!atomic_load(&crowd->changing))
			atomic_fetch_add(&crowd->served_quiet, 1);
	}
	return NULL;
}

static void *reader(void *opaque)
{
	struct crowd *crowd = opaque;

	for (unsigned i = 0; atomic_load(&crowd->changing); i++) {
		locked_get(crowd, i % 64 ? SECONDS : REG_C); /* now and then a tick is stolen */
		sched_yield();
	}
	return NULL;
}

static void *changer(void *opaque)
{
	static const uint8_t rates[] = {FAST, 0x26, 0x2f, 0x20, 0x66, 0x24};
	struct crowd *crowd = opaque;

	for (unsigned i = 0; i < CHANGES; i++) {
		locked_set(crowd, REG_A, rates[i % 6]);
		locked_set(crowd, REG_B, i % 3 ? H24 | PF : H24);
		sched_yield();
	}
	locked_set(crowd, REG_A, FAST);
	locked_set(crowd, REG_B, H24 | PF);
	atomic_store(&crowd->changing, false);
	return NULL;
}

static void interrupts_survive_every_change(void **state)
{
	static void *(*const guests[])(void *) = {handler, reader, reader, changer};
	static struct crowd crowd;
	pthread_t threads[THREADS];
	struct rtc_ticks ticks;

	crowd_init(&crowd);
	atomic_store(&crowd.changing, true);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, guests[i], &crowd);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(crowd.served_quiet, QUIET);
	ticks = rtc_ticks(&crowd.rtc);
	assert_int_equal(ticks.due, ticks.delivered + ticks.owed + ticks.dropped);
	crowd_end(&crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlocked_accesses_tear_nothing),
		cmocka_unit_test(interrupts_survive_every_change),
	};

	return cmocka_run_group_tests_name("rtc_stress", tests, NULL, NULL);
}
