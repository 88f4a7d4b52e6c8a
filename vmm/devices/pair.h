/*
 * The pair's registers: the VMM's side of kernel/abi.h, and its MMIO null page.
 */
#ifndef TICKVM_DEVICES_PAIR_H
#define TICKVM_DEVICES_PAIR_H

#include "../config.h"
#include "bus.h"

#define PAIR_NULL_BYTES 4096

/* Called by the vCPU that accessed, without a lock: each must bear any thread. */
struct pair_ops {
	uint64_t (*host_ns)(void *opaque); /* host's CLOCK_MONOTONIC */
	void (*version)(void *opaque, uint32_t version);
	void (*exit)(void *opaque, uint32_t code);
	void (*mark)(void *opaque, uint32_t mark, unsigned cpu);
	void (*samples)(void *opaque, uint32_t address, unsigned cpu);
	void (*phase)(void *opaque, uint32_t address, unsigned cpu);
	void *opaque;
};

/* A cache line apart, so that measuring vCPUs do not slow one another. */
struct pair_latch {
	uint64_t host_ns;
	uint8_t pad[56];
};

struct pair_state {
	struct pair_latch latch[CONFIG_CPUS_MAX];
};

/* No lock: each vCPU has its own latch, and only its thread touches it. */
struct pair {
	struct pair_state state;
	struct pair_ops ops;
};

void pair_init(struct pair *pair, const struct pair_ops *ops);

struct bus_region pair_region(struct pair *pair, uint16_t base);
struct bus_region pair_null_region(struct pair *pair, uint64_t mmio_base);

#endif
