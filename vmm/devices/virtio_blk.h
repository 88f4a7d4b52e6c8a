/*
 * Virtio block device: virtio 1.2 § 5.2. One queue; reads, writes, flushes and the
 * device's name, on a backing that is handed in: this is a model and does no I/O.
 */
#ifndef TICKVM_DEVICES_VIRTIO_BLK_H
#define TICKVM_DEVICES_VIRTIO_BLK_H

#include <stdbool.h>
#include <stdint.h>

#include "virtio_mmio.h"

#define VIRTIO_BLK_SECTOR 512 /* the protocol's unit, whatever the disk's own is */
#define VIRTIO_BLK_NAME	  20  /* bytes of a GET_ID answer, closed by NUL if shorter */

/*
 * Where the sectors are. `offset` is in bytes; the buffers are filled, or written out,
 * in order. Each returns -1 on an I/O error. Called by the thread that serves requests.
 */
struct virtio_blk_backing {
	int (*read)(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		    unsigned count);
	int (*write)(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		     unsigned count);
	int (*flush)(void *opaque); /* all that was written is on stable storage */
	void *opaque;
	uint64_t sectors;
	bool read_only;
	char name[VIRTIO_BLK_NAME];
};

/* No lock: nothing is written after virtio_blk_init(). */
struct virtio_blk {
	const struct virtio_blk_backing *backing;
	struct virtio_device device; /* for the transport */
};

void virtio_blk_init(struct virtio_blk *blk, const struct virtio_blk_backing *backing);

#endif
