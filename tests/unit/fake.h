/*
 * What a device model is given in a unit test: a clock that stands still until the
 * test moves it, a line that remembers, and accesses as the bus makes them.
 */
#ifndef TICKVM_TESTS_FAKE_H
#define TICKVM_TESTS_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmm/devices/bus.h"
#include "vmm/devices/clock.h"
#include "vmm/devices/event_timer.h"
#include "vmm/devices/line.h"
#include "vmm/error.h"

#define NS_PER_S UINT64_C(1000000000)

struct fake_clock {
	struct vclock vclock;
	uint64_t now_ns;
};

static uint64_t fake_clock_read(void *opaque)
{
	return ((const struct fake_clock *)opaque)->now_ns;
}

static inline void fake_clock_init(struct fake_clock *clock)
{
	clock->vclock = (struct vclock){fake_clock_read, clock};
	clock->now_ns = 0;
}

struct fake_line {
	struct irq_line line;
	bool level;
	unsigned rises, falls;
};

static void fake_line_set(void *opaque, bool level)
{
	struct fake_line *line = opaque;

	line->rises += level && !line->level;
	line->falls += !level && line->level;
	line->level = level;
}

static inline void fake_line_init(struct fake_line *line)
{
	*line = (struct fake_line){.line = {fake_line_set, line}};
}

/* Remembers when it is to go off; the test makes it. */
struct fake_timer {
	struct event_timer timer;
	uint64_t at_ns;
};

static void fake_timer_arm(void *opaque, uint64_t at_ns)
{
	((struct fake_timer *)opaque)->at_ns = at_ns;
}

static inline void fake_timer_init(struct fake_timer *timer)
{
	*timer = (struct fake_timer){.timer = {fake_timer_arm, timer}, .at_ns = EVENT_NEVER};
}

/* A bus with one device on it, at its own place. */
struct fake_bus {
	struct bus bus;
	uint8_t ports[BUS_PORTS];
};

static inline void fake_bus_init(struct fake_bus *bus)
{
	for (unsigned i = 0; i < BUS_PORTS; i++)
		bus->ports[i] = 0;
	bus_init(&bus->bus, bus->ports);
}

static inline void fake_bus_init_mmio(struct fake_bus *bus)
{
	bus_init(&bus->bus, NULL);
}

static inline void fake_bus_add(struct fake_bus *bus, struct bus_region region)
{
	struct error e;

	assert_int_equal(bus_add(&bus->bus, &region, &e), 0);
}

static inline uint64_t read_at(const struct fake_bus *bus, uint64_t address, unsigned size)
{
	return bus_read(&bus->bus, bus_find(&bus->bus, address), address, size, 0);
}

static inline void write_at(const struct fake_bus *bus, uint64_t address, unsigned size,
			    uint64_t value)
{
	bus_write(&bus->bus, bus_find(&bus->bus, address), address, size, 0, value);
}

#endif
