/*
 * Split virtqueue, the device's end of it: virtio 1.2 § 2.7.
 *
 * The rings lie in guest memory and may change under our eyes: each word of them is
 * read once, by an atomic load, and believed only after it was checked. Whatever a
 * driver puts there, a chain has at most as many buffers as the queue has entries,
 * and every buffer is RAM.
 */
#ifndef TICKVM_DEVICES_VIRTIO_QUEUE_H
#define TICKVM_DEVICES_VIRTIO_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "../ram.h"

#define VIRTIO_QUEUE_MAX 128 /* entries; a power of 2 */

struct virtio_queue_state {
	uint32_t size; /* entries, as the driver chose */
	bool ready;
	uint64_t descriptors, available, used; /* guest-physical */
	uint16_t next_available, next_used;    /* free-running, as the rings' idx */
};

/* Guarded by whoever owns it: the transport's lock. */
struct virtio_queue {
	struct virtio_queue_state state;
	const struct ram *ram;
};

struct virtio_buffer {
	uint8_t *data;
	uint32_t length;
};

/* One request: the buffers that the device may read, then those that it is to write. */
struct virtio_chain {
	uint16_t head;
	unsigned readable, writable; /* how many of each, in this order */
	struct virtio_buffer buffers[VIRTIO_QUEUE_MAX];
};

enum virtio_pop {
	VIRTIO_POP_NONE, /* nothing waits */
	VIRTIO_POP_CHAIN,
	VIRTIO_POP_BROKEN, /* the driver broke the rules; no chain can be trusted any more */
};

void virtio_queue_init(struct virtio_queue *queue, const struct ram *ram);

/* As after reset, with no entries; what is in flight is forgotten. */
void virtio_queue_reset(struct virtio_queue *queue);

/* The driver is done with the set-up. -1: sizes, alignment or addresses are not possible. */
int virtio_queue_enable(struct virtio_queue *queue);

/* The next request that the driver made available. Of an enabled queue. */
enum virtio_pop virtio_queue_pop(struct virtio_queue *queue, struct virtio_chain *chain);

/* Gives a chain back with the number of bytes that were written to it. */
void virtio_queue_push(struct virtio_queue *queue, const struct virtio_chain *chain,
		       uint32_t written);

/* Whether the driver wants to hear of what was pushed. */
bool virtio_queue_wants_interrupt(const struct virtio_queue *queue);

/* Whether this side wants to hear of what is made available: a hint to the driver. */
void virtio_queue_want_notify(struct virtio_queue *queue, bool wanted);

#endif
