/*
 * A virtio-mmio device on a bus, guest memory, and a driver that does as it is told:
 * also what no driver should.
 */
#ifndef TICKVM_TESTS_VIRTIO_RIG_H
#define TICKVM_TESTS_VIRTIO_RIG_H

#include "fake.h"

#include <stdlib.h>
#include <string.h>

#include "vmm/devices/virtio_mmio.h"

#define RIG_BASE  UINT64_C(0xd0000000)
#define RIG_BYTES 0x10000 /* of RAM */
#define RIG_SIZE  8	  /* of the queue */

/* Where the driver puts things. */
enum { RIG_DESCRIPTORS = 0x1000, RIG_AVAILABLE = 0x2000, RIG_USED = 0x3000, RIG_DATA = 0x4000 };

enum {
	MAGIC = 0x000,
	VERSION = 0x004,
	DEVICE_ID = 0x008,
	VENDOR_ID = 0x00c,
	DEVICE_FEATURES = 0x010,
	DEVICE_FEATURES_SELECT = 0x014,
	DRIVER_FEATURES = 0x020,
	DRIVER_FEATURES_SELECT = 0x024,
	QUEUE_SELECT = 0x030,
	QUEUE_SIZE_MAX = 0x034,
	QUEUE_SIZE = 0x038,
	QUEUE_READY = 0x044,
	QUEUE_NOTIFY = 0x050,
	INTERRUPT_STATUS = 0x060,
	INTERRUPT_ACK = 0x064,
	STATUS = 0x070,
	QUEUE_DESCRIPTORS = 0x080,
	QUEUE_AVAILABLE = 0x090,
	QUEUE_USED = 0x0a0,
	SHARED_MEMORY_LENGTH = 0x0b0,
	CONFIG_GENERATION = 0x0fc,
	CONFIG = 0x100,
};

enum {
	ACKNOWLEDGE = 1,
	DRIVER = 2,
	DRIVER_OK = 4,
	FEATURES_OK = 8,
	NEEDS_RESET = 64,
	FAILED = 128,
};

enum { NEXT = 1, WRITE = 2, INDIRECT = 4 };

struct rig {
	struct ram ram;
	struct fake_bus bus;
	struct virtio_mmio mmio;
	atomic_bool stop;
	unsigned interrupts, notifies;
	uint16_t offered; /* the available ring's idx */
};

static void rig_interrupt(void *opaque)
{
	((struct rig *)opaque)->interrupts++;
}

static void rig_notify(void *opaque)
{
	((struct rig *)opaque)->notifies++;
}

/* RAM is on the heap, so that the address sanitizer sees a step outside. */
static inline void rig_init(struct rig *rig, const struct virtio_device *device)
{
	const struct virtio_mmio_ops ops = {rig_interrupt, rig_notify, rig};

	memset(rig, 0, sizeof(*rig));
	rig->ram.host = calloc(1, RIG_BYTES);
	assert_non_null(rig->ram.host);
	rig->ram.low_size = RIG_BYTES;
	fake_bus_init_mmio(&rig->bus);
	virtio_mmio_init(&rig->mmio, device, &rig->ram, &ops);
	fake_bus_add(&rig->bus, virtio_mmio_region(&rig->mmio, "virtio", RIG_BASE));
}

static inline void rig_free(struct rig *rig)
{
	free(rig->ram.host);
}

static inline uint32_t get(struct rig *rig, uint32_t reg)
{
	return (uint32_t)read_at(&rig->bus, RIG_BASE + reg, 4);
}

static inline void set(struct rig *rig, uint32_t reg, uint32_t value)
{
	write_at(&rig->bus, RIG_BASE + reg, 4, value);
}

static inline void set_features(struct rig *rig, uint64_t features)
{
	for (uint32_t half = 0; half < 2; half++) {
		set(rig, DRIVER_FEATURES_SELECT, half);
		set(rig, DRIVER_FEATURES, (uint32_t)(features >> (32 * half)));
	}
}

static inline void set_queue(struct rig *rig, uint32_t size)
{
	set(rig, QUEUE_SELECT, 0);
	set(rig, QUEUE_SIZE, size);
	set(rig, QUEUE_DESCRIPTORS, RIG_DESCRIPTORS);
	set(rig, QUEUE_AVAILABLE, RIG_AVAILABLE);
	set(rig, QUEUE_USED, RIG_USED);
}

static inline void negotiate(struct rig *rig)
{
	set(rig, STATUS, 0);
	set(rig, STATUS, ACKNOWLEDGE);
	set(rig, STATUS, ACKNOWLEDGE | DRIVER);
	set_features(rig, VIRTIO_F_VERSION_1);
	set(rig, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
}

/* From reset to work, as § 3.1.1 wants it; the rings are empty. */
static inline void bring_up(struct rig *rig)
{
	memset(rig->ram.host, 0, RIG_BYTES);
	rig->offered = 0;
	rig->interrupts = 0;
	negotiate(rig);
	set_queue(rig, RIG_SIZE);
	set(rig, QUEUE_READY, 1);
	set(rig, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
}

static inline void poke16(struct rig *rig, uint32_t address, uint16_t value)
{
	memcpy(rig->ram.host + address, &value, sizeof(value));
}

static inline uint16_t peek16(const struct rig *rig, uint32_t address)
{
	uint16_t value;

	memcpy(&value, rig->ram.host + address, sizeof(value));
	return value;
}

static inline uint32_t peek32(const struct rig *rig, uint32_t address)
{
	uint32_t value;

	memcpy(&value, rig->ram.host + address, sizeof(value));
	return value;
}

struct rig_descriptor {
	uint64_t address;
	uint32_t length;
	uint16_t flags, next;
};

static inline void describe(struct rig *rig, unsigned index, struct rig_descriptor d)
{
	memcpy(rig->ram.host + RIG_DESCRIPTORS + index * sizeof(d), &d, sizeof(d));
}

static inline void offer(struct rig *rig, uint16_t head)
{
	poke16(rig, RIG_AVAILABLE + 4 + rig->offered % RIG_SIZE * 2, head);
	__atomic_store_n((uint16_t *)(rig->ram.host + RIG_AVAILABLE + 2), ++rig->offered,
			 __ATOMIC_SEQ_CST);
}

static inline void serve(struct rig *rig)
{
	virtio_mmio_serve(&rig->mmio, &rig->stop);
}

/* How many chains came back, and the last of them. */
static inline unsigned used_count(const struct rig *rig)
{
	return peek16(rig, RIG_USED + 2);
}

static inline uint32_t used_head(const struct rig *rig)
{
	return peek32(rig, RIG_USED + 4 + (used_count(rig) - 1) % RIG_SIZE * 8);
}

static inline uint32_t used_length(const struct rig *rig)
{
	return peek32(rig, RIG_USED + 8 + (used_count(rig) - 1) % RIG_SIZE * 8);
}

#endif
