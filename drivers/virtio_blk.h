/*
 * Virtio block device: reading sectors, one request at a time or several at once.
 *
 * The device is looked for and set up at the first call. No lock: one CPU at a time,
 * the one of the first call if it is to be interrupted.
 */
#ifndef TICKVM_DRIVERS_VIRTIO_BLK_H
#define TICKVM_DRIVERS_VIRTIO_BLK_H

#include <stdbool.h>
#include <stdint.h>

#define VIRTIO_BLK_SECTOR    512 /* bytes */
#define VIRTIO_BLK_BATCH_MAX 16	 /* requests at once */

bool virtio_blk_present(void);
uint64_t virtio_blk_sectors(void); /* 0: no device */

/*
 * Whether the device interrupts when a request is done (the default), so that waiting
 * halts, or the used ring is polled. Returns what it will be: false too where the
 * interrupt has no way to this CPU.
 */
bool virtio_blk_use_interrupts(bool wanted);

/* Reads `count` sectors and waits for them. -1: an error, or no device. */
int virtio_blk_read(uint64_t sector, void *buffer, unsigned count);

/* ---- the same in steps ---- */

/* Prepares a read; gives its tag, or -1: no device, or too many at once. */
int virtio_blk_start(uint64_t sector, void *buffer, unsigned count);

/* Tells the device of what was started. */
void virtio_blk_kick(void);

/* How a started read is doing. An answer other than pending frees the tag. */
enum virtio_blk_result { VIRTIO_BLK_PENDING, VIRTIO_BLK_DONE, VIRTIO_BLK_FAILED };
enum virtio_blk_result virtio_blk_poll(int tag);

/*
 * Waits as chosen for something to happen, for the caller to poll again: called and
 * left with interrupts off.
 */
void virtio_blk_doze(void);

#endif
