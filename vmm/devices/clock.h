/*
 * Virtual time, as devices see it: handed in, never fetched from the host.
 */
#ifndef TICKVM_DEVICES_CLOCK_H
#define TICKVM_DEVICES_CLOCK_H

#include <stdint.h>

struct vclock {
	uint64_t (*read_ns)(void *opaque); /* monotonic, ns since the machine's start */
	void *opaque;
};

static inline uint64_t vclock_now_ns(const struct vclock *clock)
{
	return clock->read_ns(clock->opaque);
}

#endif
