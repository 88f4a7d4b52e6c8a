/*
 * Virtio over MMIO: finding a device, negotiating with it, and its doorbell and interrupt.
 *
 * Such devices cannot be enumerated. The command line names them, a word each, as QEMU's
 * microvm, Firecracker and tickvm write it: virtio_mmio.device=SIZE@BASE:GSI.
 */
#ifndef TICKVM_DRIVERS_VIRTIO_MMIO_H
#define TICKVM_DRIVERS_VIRTIO_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/virtio_queue.h"

struct virtio_mmio {
	uint64_t base;
	unsigned gsi;
};

/* The first device of this kind (virtio 1.2 ch. 5) that has register version 2. */
bool virtio_mmio_find(uint32_t device_id, struct virtio_mmio *device);

/* Resets the device and agrees on virtio 1.0 without further features. -1: it will not. */
int virtio_mmio_negotiate(const struct virtio_mmio *device);

/* Gives it a queue; queue->size is set, at most VIRTIO_QUEUE_MAX. -1: it has no such queue. */
int virtio_mmio_add_queue(const struct virtio_mmio *device, unsigned index,
			  struct virtio_queue *queue);

/* From here on it serves requests. */
void virtio_mmio_start(const struct virtio_mmio *device);

void virtio_mmio_notify(const struct virtio_mmio *device, unsigned index);

/* The interrupt's causes, taken back. To be called before looking into a used ring. */
#define VIRTIO_MMIO_CAUSE_USED	 (1u << 0)
#define VIRTIO_MMIO_CAUSE_CONFIG (1u << 1)
uint32_t virtio_mmio_acknowledge(const struct virtio_mmio *device);

/* It found that a driver broke the rules, or is broken itself, and will do no more. */
bool virtio_mmio_is_broken(const struct virtio_mmio *device);

/* Of the device's configuration space, at a multiple of 4. */
uint32_t virtio_mmio_config32(const struct virtio_mmio *device, unsigned offset);

#endif
