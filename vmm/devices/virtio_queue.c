/* Split virtqueue: see virtio_queue.h. */
#include "virtio_queue.h"

#include <string.h>

/* Sizes and offsets of § 2.7.5, 2.7.6 and 2.7.8. */
#define DESCRIPTOR_BYTES     16
#define DESCRIPTOR_ALIGNMENT 16
#define AVAILABLE_ALIGNMENT  2
#define AVAILABLE_FLAGS	     0
#define AVAILABLE_IDX	     2
#define AVAILABLE_RING	     4
#define USED_ALIGNMENT	     4
#define USED_FLAGS	     0
#define USED_IDX	     2
#define USED_RING	     4
#define USED_ENTRY_BYTES     8

#define DESCRIPTOR_NEXT	    (1u << 0)
#define DESCRIPTOR_WRITE    (1u << 1)
#define DESCRIPTOR_INDIRECT (1u << 2) /* VIRTIO_F_INDIRECT_DESC is not offered */

#define AVAILABLE_NO_INTERRUPT (1u << 0)
#define USED_NO_NOTIFY	       (1u << 0)

struct descriptor {
	uint64_t address;
	uint32_t length;
	uint16_t flags, next;
};

static uint64_t available_bytes(const struct virtio_queue *queue)
{
	return AVAILABLE_RING + sizeof(uint16_t) * (uint64_t)queue->state.size;
}

static uint64_t used_bytes(const struct virtio_queue *queue)
{
	return USED_RING + USED_ENTRY_BYTES * (uint64_t)queue->state.size;
}

/* The areas' places were checked when the queue was enabled, and RAM does not move. */
static uint8_t *descriptors_at(const struct virtio_queue *queue)
{
	return ram_at(queue->ram, queue->state.descriptors,
		      DESCRIPTOR_BYTES * (uint64_t)queue->state.size);
}

static uint8_t *available_at(const struct virtio_queue *queue)
{
	return ram_at(queue->ram, queue->state.available, available_bytes(queue));
}

static uint8_t *used_at(const struct virtio_queue *queue)
{
	return ram_at(queue->ram, queue->state.used, used_bytes(queue));
}

void virtio_queue_init(struct virtio_queue *queue, const struct ram *ram)
{
	queue->ram = ram;
	virtio_queue_reset(queue);
}

void virtio_queue_reset(struct virtio_queue *queue)
{
	memset(&queue->state, 0, sizeof(queue->state));
}

int virtio_queue_enable(struct virtio_queue *queue)
{
	struct virtio_queue_state *s = &queue->state;

	if (s->size == 0 || s->size > VIRTIO_QUEUE_MAX || (s->size & (s->size - 1)))
		return -1;
	if (s->descriptors % DESCRIPTOR_ALIGNMENT || s->available % AVAILABLE_ALIGNMENT ||
	    s->used % USED_ALIGNMENT)
		return -1;
	if (!descriptors_at(queue) || !available_at(queue) || !used_at(queue))
		return -1;
	s->next_available = s->next_used = 0;
	s->ready = true;
	return 0;
}

/* Two loads, each once: length and flags that were checked are those that are used. */
static struct descriptor load_descriptor(const struct virtio_queue *queue, uint16_t index)
{
	const uint64_t *words =
		(const uint64_t *)(descriptors_at(queue) + (uint64_t)index * DESCRIPTOR_BYTES);
	uint64_t rest = __atomic_load_n(&words[1], __ATOMIC_RELAXED);

	return (struct descriptor){
		.address = __atomic_load_n(&words[0], __ATOMIC_RELAXED),
		.length = (uint32_t)rest,
		.flags = (uint16_t)(rest >> 32),
		.next = (uint16_t)(rest >> 48),
	};
}

/* -1: no memory, or of a kind that may not come here. */
static int add_buffer(const struct virtio_queue *queue, struct virtio_chain *chain,
		      const struct descriptor *d)
{
	struct virtio_buffer *buffer = &chain->buffers[chain->readable + chain->writable];

	if (d->flags & DESCRIPTOR_INDIRECT || d->length == 0)
		return -1;
	if (!(d->flags & DESCRIPTOR_WRITE) && chain->writable)
		return -1;
	buffer->data = ram_at(queue->ram, d->address, d->length);
	buffer->length = d->length;
	if (!buffer->data)
		return -1;
	if (d->flags & DESCRIPTOR_WRITE)
		chain->writable++;
	else
		chain->readable++;
	return 0;
}

/* A chain that is longer than the queue has a loop. */
static enum virtio_pop follow(const struct virtio_queue *queue, struct virtio_chain *chain)
{
	uint16_t index = chain->head;

	chain->readable = chain->writable = 0;
	for (unsigned count = 0; count < queue->state.size; count++) {
		struct descriptor d;

		if (index >= queue->state.size)
			return VIRTIO_POP_BROKEN;
		d = load_descriptor(queue, index);
		if (add_buffer(queue, chain, &d))
			return VIRTIO_POP_BROKEN;
		if (!(d.flags & DESCRIPTOR_NEXT))
			return VIRTIO_POP_CHAIN;
		index = d.next;
	}
	return VIRTIO_POP_BROKEN;
}

enum virtio_pop virtio_queue_pop(struct virtio_queue *queue, struct virtio_chain *chain)
{
	struct virtio_queue_state *s = &queue->state;
	const uint8_t *available = available_at(queue);
	const uint16_t *ring = (const uint16_t *)(available + AVAILABLE_RING);
	uint16_t idx, waiting;

	/* Acquire at least: entries and descriptors are read after the index that announces them.
	 */
	idx = __atomic_load_n((const uint16_t *)(available + AVAILABLE_IDX), __ATOMIC_SEQ_CST);
	waiting = (uint16_t)(idx - s->next_available);
	if (waiting == 0)
		return VIRTIO_POP_NONE;
	if (waiting > s->size)
		return VIRTIO_POP_BROKEN;
	chain->head = __atomic_load_n(&ring[s->next_available % s->size], __ATOMIC_RELAXED);
	s->next_available++;
	return follow(queue, chain);
}

void virtio_queue_push(struct virtio_queue *queue, const struct virtio_chain *chain,
		       uint32_t written)
{
	struct virtio_queue_state *s = &queue->state;
	uint8_t *used = used_at(queue);
	uint32_t *entry = (uint32_t *)(used + USED_RING +
				       s->next_used % s->size * (uint64_t)USED_ENTRY_BYTES);

	__atomic_store_n(&entry[0], chain->head, __ATOMIC_RELAXED);
	__atomic_store_n(&entry[1], written, __ATOMIC_RELAXED);
	s->next_used++;
	/* Release at least: whoever sees the index sees the entry and the data before it. */
	__atomic_store_n((uint16_t *)(used + USED_IDX), s->next_used, __ATOMIC_SEQ_CST);
}

/*
 * The driver clears its flag and then looks for used entries once more (§ 2.7.7.1). Our
 * half of that bargain: the index is written before the flag is read, which needs both
 * to be sequentially consistent.
 */
bool virtio_queue_wants_interrupt(const struct virtio_queue *queue)
{
	const uint16_t *flags = (const uint16_t *)(available_at(queue) + AVAILABLE_FLAGS);

	return !(__atomic_load_n(flags, __ATOMIC_SEQ_CST) & AVAILABLE_NO_INTERRUPT);
}

/* The same bargain with the roles changed: after this the caller looks for requests again. */
void virtio_queue_want_notify(struct virtio_queue *queue, bool wanted)
{
	uint16_t *flags = (uint16_t *)(used_at(queue) + USED_FLAGS);

	__atomic_store_n(flags, wanted ? 0 : USED_NO_NOTIFY, __ATOMIC_SEQ_CST);
}
