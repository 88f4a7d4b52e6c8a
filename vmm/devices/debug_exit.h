/*
 * QEMU's isa-debug-exit: a write ends the run with the value written.
 */
#ifndef TICKVM_DEVICES_DEBUG_EXIT_H
#define TICKVM_DEVICES_DEBUG_EXIT_H

#include "bus.h"

#define DEBUG_EXIT_PORTS 4

/* No lock: there is no state; `exit` must bear any thread. */
struct debug_exit {
	void (*exit)(void *opaque, uint32_t value);
	void *opaque;
};

void debug_exit_init(struct debug_exit *device, void (*exit)(void *opaque, uint32_t value),
		     void *opaque);

struct bus_region debug_exit_region(struct debug_exit *device, uint16_t port);

#endif
