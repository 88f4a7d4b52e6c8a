/* ACPI PM1 blocks and reset register: see pm1.h. */
#include "pm1.h"

#include "../machine_map.h"
#include "../mutant.h"

#include <string.h>

#define EVENTS (PM1_TIMER | PM1_GLOBAL_LOCK | PM1_POWER_BUTTON | PM1_SLEEP_BUTTON | PM1_RTC)

enum {
	CONTROL_SCI_EN = 1 << 0, /* the hardware's */
	CONTROL_BM_RLD = 1 << 1,
	CONTROL_SLP_TYP = 7 << 10,
	CONTROL_SLP_TYP_SHIFT = 10,
	CONTROL_SLP_EN = 1 << 13, /* write only */
};

enum { RESET_CPU = 1 << 2 }; /* of the PC's reset control register */
_Static_assert(MAP_RESET_VALUE &RESET_CPU, "the FADT's reset value resets");

/* When TMR_STS has to be looked at again, if nobody reads it. */
static uint64_t next_event_ns(const struct pm1 *pm1)
{
	if (!(pm1->state.enable & PM1_TIMER) || (pm1->state.status & PM1_TIMER))
		return EVENT_NEVER;
	return pmtimer_half_begin_ns(pm1->timer, pm1->state.timer_half + 1);
}

/* The one place that sets TMR_STS. */
static void look_at_timer(struct pm1 *pm1)
{
	uint64_t half = pmtimer_half(pm1->timer);

	if (half != pm1->state.timer_half)
		pm1->state.status |= PM1_TIMER;
	pm1->state.timer_half = half;
}

/* The one place that drives the SCI. */
static void update(struct pm1 *pm1)
{
	look_at_timer(pm1);
	event_timer_arm(pm1->event, next_event_ns(pm1));
	irq_line_set(pm1->sci, pm1->state.status & pm1->state.enable);
}

/* The bytes that an access covers, at their place in the register block. */
static uint32_t covered(struct bus_access access)
{
	return (access.size == 1 ? UINT32_C(0xff) : UINT32_C(0xffff)) << (access.offset * 8);
}

static uint64_t event_read(void *state, struct bus_access access)
{
	struct pm1 *pm1 = state;
	uint32_t block;

	if (!MUTANT(pm1_status_stale))
		update(pm1);
	block = pm1->state.status | (uint32_t)pm1->state.enable << 16;
	return block >> (access.offset * 8);
}

static void event_write(void *state, struct bus_access access, uint64_t value)
{
	struct pm1 *pm1 = state;
	uint32_t mask = covered(access), bits = (uint32_t)(value << (access.offset * 8));

	/*
	 * Write 1 to clear: all that has happened until now, even if nobody has seen it.
	 * The SCI is driven once, after, lest it shows for a moment what is cleared here.
	 */
	look_at_timer(pm1);
	pm1->state.status &= ~bits;
	pm1->state.enable = (pm1->state.enable & ~(mask >> 16)) | (bits >> 16 & EVENTS);
	update(pm1);
}

static uint64_t control_read(void *state, struct bus_access access)
{
	const struct pm1 *pm1 = state;

	return pm1->state.control >> (access.offset * 8);
}

static void control_write(void *state, struct bus_access access, uint64_t value)
{
	struct pm1 *pm1 = state;
	uint32_t mask = covered(access), bits = (uint32_t)(value << (access.offset * 8));
	uint32_t control = (pm1->state.control & ~mask) | bits;

	pm1->state.control = CONTROL_SCI_EN | (control & (CONTROL_BM_RLD | CONTROL_SLP_TYP));
	if ((control & CONTROL_SLP_EN) &&
	    (control & CONTROL_SLP_TYP) >> CONTROL_SLP_TYP_SHIFT == MAP_SLP_TYP_S5)
		pm1->ops.power_off(pm1->ops.opaque);
}

static uint64_t reset_read(void *state, struct bus_access access)
{
	const struct pm1 *pm1 = state;

	return pm1->state.reset_control;
}

static void reset_write(void *state, struct bus_access access, uint64_t value)
{
	struct pm1 *pm1 = state;

	pm1->state.reset_control = value & ~RESET_CPU;
	if (value & RESET_CPU)
		pm1->ops.reset(pm1->ops.opaque);
}

void pm1_init(struct pm1 *pm1, const struct pmtimer *timer, const struct event_timer *event,
	      const struct irq_line *sci, const struct pm1_ops *ops)
{
	memset(pm1, 0, sizeof(*pm1));
	pm1->state.control = CONTROL_SCI_EN;
	pm1->state.timer_half = pmtimer_half(timer);
	pm1->timer = timer;
	pm1->event = event;
	pm1->sci = sci;
	pm1->ops = *ops;
}

struct bus_region pm1_event_region(struct pm1 *pm1, uint16_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "pm1-event",
		.base = base,
		.length = PM1_EVENT_PORTS,
		.sizes = 1 | 2,
		.read = event_read,
		.write = event_write,
		.state = pm1,
		.lock = lock,
	};
}

struct bus_region pm1_control_region(struct pm1 *pm1, uint16_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "pm1-control",
		.base = base,
		.length = PM1_CONTROL_PORTS,
		.sizes = 1 | 2,
		.read = control_read,
		.write = control_write,
		.state = pm1,
		.lock = lock,
	};
}

struct bus_region pm1_reset_region(struct pm1 *pm1, uint16_t port, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "reset",
		.base = port,
		.length = 1,
		.sizes = 1,
		.read = reset_read,
		.write = reset_write,
		.state = pm1,
		.lock = lock,
	};
}

void pm1_raise(struct pm1 *pm1, enum pm1_event event)
{
	pm1->state.status |= event;
	update(pm1);
}

void pm1_timer_event(void *pm1)
{
	update(pm1);
}
