/*
 * ACPI fixed hardware around the PM timer: the PM1a event and control blocks
 * (ACPI 6.5, 4.8.3.1 and 4.8.3.2) and the reset register (4.8.3.6).
 *
 * TMR_STS sets at each change of the timer's top bit, both ways, whether it is enabled
 * or not. It too is derived from virtual time, at every access: a timer is armed only
 * while its setting would raise the SCI, so that a guest that has no use for it costs
 * nothing.
 *
 * The machine has no system management mode, so it is in ACPI mode from the start:
 * SCI_EN reads 1 always, and the FADT states no SMI command port.
 */
#ifndef TICKVM_DEVICES_PM1_H
#define TICKVM_DEVICES_PM1_H

#include "bus.h"
#include "event_timer.h"
#include "line.h"
#include "pmtimer.h"

#define PM1_EVENT_PORTS	  4 /* status, enable */
#define PM1_CONTROL_PORTS 2

/* The fixed events: bits of both status and enable. */
enum pm1_event {
	PM1_TIMER = 1 << 0,
	PM1_GLOBAL_LOCK = 1 << 5,
	PM1_POWER_BUTTON = 1 << 8,
	PM1_SLEEP_BUTTON = 1 << 9,
	PM1_RTC = 1 << 10,
};

/* Called under the device's lock, by the vCPU that wrote. */
struct pm1_ops {
	void (*power_off)(void *opaque);
	void (*reset)(void *opaque);
	void *opaque;
};

struct pm1_state {
	uint64_t timer_half; /* the timer's half period whose begin has set TMR_STS */
	uint16_t status, enable, control;
	uint8_t reset_control;
};

/* Guarded by one lock, the same for all three regions: the bus holds it in every access. */
struct pm1 {
	struct pm1_state state;
	const struct pmtimer *timer;
	const struct event_timer *event;
	const struct irq_line *sci;
	struct pm1_ops ops;
};

/* `event` is to call pm1_timer_event(). */
void pm1_init(struct pm1 *pm1, const struct pmtimer *timer, const struct event_timer *event,
	      const struct irq_line *sci, const struct pm1_ops *ops);

struct bus_region pm1_event_region(struct pm1 *pm1, uint16_t base, pthread_mutex_t *lock);
struct bus_region pm1_control_region(struct pm1 *pm1, uint16_t base, pthread_mutex_t *lock);
struct bus_region pm1_reset_region(struct pm1 *pm1, uint16_t port, pthread_mutex_t *lock);

/* A fixed event happened, other than the timer's. Caller holds the lock. */
void pm1_raise(struct pm1 *pm1, enum pm1_event event);

/* The moment that the event timer was armed for has come. Caller holds the lock. */
void pm1_timer_event(void *pm1);

#endif
