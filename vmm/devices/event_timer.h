/*
 * A timer, as a device sees it: the next moment of virtual time at which the device
 * must look at itself without being asked.
 *
 * When the moment has come, not before, whoever made the timer calls the device's
 * function for it, under the device's lock. The timer is then off until armed again.
 */
#ifndef TICKVM_DEVICES_EVENT_TIMER_H
#define TICKVM_DEVICES_EVENT_TIMER_H

#include <stdint.h>

#define EVENT_NEVER UINT64_MAX

struct event_timer {
	/* In place of what was armed; EVENT_NEVER: off. Called under the device's lock. */
	void (*arm)(void *opaque, uint64_t at_ns);
	void *opaque;
};

static inline void event_timer_arm(const struct event_timer *timer, uint64_t at_ns)
{
	timer->arm(timer->opaque, at_ns);
}

#endif
