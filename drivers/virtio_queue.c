/*
 * Split virtqueue (virtio 1.2 § 2.7.13 and § 2.7.14: what orders what).
 */
#include "drivers/virtio_queue.h"

#define AVAILABLE_NO_INTERRUPT 1u
#define USED_NO_NOTIFY	       1u

/* Release: whoever sees the index sees the entry and the descriptors. */
void virtio_queue_put(struct virtio_queue *queue, uint16_t head)
{
	uint16_t idx = queue->available.idx;

	queue->available.ring[idx % queue->size] = head;
	__atomic_store_n(&queue->available.idx, (uint16_t)(idx + 1), __ATOMIC_RELEASE);
}

/* The device clears its flag and looks at the index again; we do the two in reverse order. */
bool virtio_queue_wants_notify(const struct virtio_queue *queue)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !(__atomic_load_n(&queue->used.flags, __ATOMIC_RELAXED) & USED_NO_NOTIFY);
}

bool virtio_queue_take(struct virtio_queue *queue, struct virtio_used *used)
{
	if (__atomic_load_n(&queue->used.idx, __ATOMIC_ACQUIRE) == queue->next_used)
		return false;
	*used = queue->used.ring[queue->next_used % queue->size];
	queue->next_used++;
	return true;
}

void virtio_queue_want_interrupt(struct virtio_queue *queue, bool wanted)
{
	__atomic_store_n(&queue->available.flags, wanted ? 0 : AVAILABLE_NO_INTERRUPT,
			 __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
