/*
 * Split virtqueue, the driver's end of it (virtio 1.2 § 2.7): descriptors, and two rings
 * that each side only adds to. It has no lock: one CPU at a time.
 */
#ifndef TICKVM_DRIVERS_VIRTIO_QUEUE_H
#define TICKVM_DRIVERS_VIRTIO_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIRTIO_QUEUE_MAX 64 /* entries; a power of 2 */

#define VIRTIO_DESCRIPTOR_NEXT	(1u << 0)
#define VIRTIO_DESCRIPTOR_WRITE (1u << 1) /* by the device */

struct virtio_descriptor {
	uint64_t address; /* guest-physical, which is the address here */
	uint32_t length;
	uint16_t flags, next;
};

struct virtio_used {
	uint32_t head;
	uint32_t length; /* bytes that the device wrote */
};

/* The three areas, for queues of any size up to the maximum; zeroed memory is a new queue. */
struct virtio_queue {
	struct virtio_descriptor descriptors[VIRTIO_QUEUE_MAX] __attribute__((aligned(16)));
	struct {
		uint16_t flags, idx;
		uint16_t ring[VIRTIO_QUEUE_MAX];
	} available;
	struct {
		uint16_t flags, idx;
		struct virtio_used ring[VIRTIO_QUEUE_MAX];
	} used __attribute__((aligned(4)));
	uint16_t size; /* entries in use */
	uint16_t next_used;
};
_Static_assert(offsetof(struct virtio_queue, used) % 4 == 0, "the used ring is aligned");

/* Hands the chain that begins at `head` to the device. */
void virtio_queue_put(struct virtio_queue *queue, uint16_t head);

/* Whether the device wants to be notified of what was put. */
bool virtio_queue_wants_notify(const struct virtio_queue *queue);

/* The next chain that the device is done with. false: none. */
bool virtio_queue_take(struct virtio_queue *queue, struct virtio_used *used);

/* Whether the device is to interrupt; look for used chains after this. */
void virtio_queue_want_interrupt(struct virtio_queue *queue, bool wanted);

#endif
