/*
 * smoke: the block device, where there is one.
 */
#include "smoke.h"

#include <stddef.h>
#include <string.h>

#include "drivers/virtio_blk.h"

#define PATTERN 0xa5 /* and its complement: what the buffers hold before */

/* The last sector comes whole and twice the same; the one after it is refused. */
static enum verdict read_sector(void)
{
	static uint8_t first[VIRTIO_BLK_SECTOR] __attribute__((aligned(VIRTIO_BLK_SECTOR)));
	static uint8_t second[VIRTIO_BLK_SECTOR] __attribute__((aligned(VIRTIO_BLK_SECTOR)));
	uint64_t sectors = virtio_blk_sectors();

	if (!virtio_blk_present())
		return skipped("no virtio-mmio block device on the command line");
	memset(first, PATTERN, sizeof(first));
	memset(second, (uint8_t)~PATTERN, sizeof(second));
	EXPECT(virtio_blk_read(sectors - 1, first, 1) == 0 &&
		       virtio_blk_read(sectors - 1, second, 1) == 0,
	       "sector %lu of %lu cannot be read", sectors - 1, sectors);
	EXPECT(memcmp(first, second, sizeof(first)) == 0, "sector %lu read twice differs",
	       sectors - 1);
	EXPECT(virtio_blk_read(sectors, first, 1) != 0, "sector %lu of %lu was read", sectors,
	       sectors);
	return PASS;
}

const struct smoke_check smoke_disk_checks[] = {
	{"virtio-blk reads a sector", read_sector},
	{NULL, NULL},
};
