/*
 * Virtio over MMIO, register version 2: virtio 1.2 § 4.2, for a device with one queue.
 *
 * The transport has the registers, feature negotiation and the queue; what a request
 * means is the business of the device behind it, a struct virtio_device. Requests are
 * served by virtio_mmio_serve(), on a thread of the caller's choice.
 *
 * A driver that breaks the rules gets DEVICE_NEEDS_RESET (§ 2.1.2) and nothing more
 * until it resets the device.
 */
#ifndef TICKVM_DEVICES_VIRTIO_MMIO_H
#define TICKVM_DEVICES_VIRTIO_MMIO_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus.h"
#include "virtio_queue.h"

#define VIRTIO_MMIO_BYTES	 0x1000
#define VIRTIO_MMIO_QUEUE_NOTIFY 0x050 /* offset of the register that an ioeventfd takes */

#define VIRTIO_F_VERSION_1 (UINT64_C(1) << 32)

/* What is behind the transport. */
struct virtio_device {
	uint32_t id;	   /* virtio 1.2 ch. 5 */
	uint64_t features; /* offered, besides VIRTIO_F_VERSION_1 */

	/*
	 * Serves one request and gives how many bytes were written to it, from the first
	 * writable one on without a gap; -1: it is malformed.
	 * The buffers' entries may be changed. One call at a time, under the
	 * transport's lock.
	 */
	int64_t (*serve)(void *opaque, struct virtio_chain *chain);

	/* `size` bytes of the configuration space, which never changes; any thread. */
	uint32_t (*read_config)(void *opaque, uint32_t offset, unsigned size);
	void *opaque;
};

struct virtio_mmio_ops {
	/* An edge on the interrupt line; under the transport's lock, on any thread. */
	void (*interrupt)(void *opaque);
	/* QueueNotify was written: virtio_mmio_serve() has work. */
	void (*notify)(void *opaque);
	void *opaque;
};

struct virtio_mmio_state {
	uint32_t status;
	uint32_t device_features_select, driver_features_select;
	uint64_t driver_features;
	uint32_t queue_select;
};

/*
 * `lock` guards the state and the queue, in register accesses and while a request is
 * served: a reset returns when nothing is in flight any more. Interrupt status and
 * acknowledgement, and notifications, are without it, so that a vCPU which has one
 * request completed does not wait for the next.
 */
struct virtio_mmio {
	struct virtio_mmio_state state;
	struct virtio_queue queue;
	pthread_mutex_t lock;
	atomic_uint interrupt_status;
	const struct virtio_device *device;
	struct virtio_mmio_ops ops;
	struct virtio_chain chain; /* the request that is being served: too large for a stack */
};

void virtio_mmio_init(struct virtio_mmio *mmio, const struct virtio_device *device,
		      const struct ram *ram, const struct virtio_mmio_ops *ops);

struct bus_region virtio_mmio_region(struct virtio_mmio *mmio, const char *name, uint64_t base);

/*
 * Serves requests until none waits or *stop is set. While it does, it tells the driver
 * that notifications are not needed. One thread at a time.
 */
void virtio_mmio_serve(struct virtio_mmio *mmio, atomic_bool *stop);

#endif
