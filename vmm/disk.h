/*
 * A file or block device of the host as the backing of a guest's disk.
 */
#ifndef TICKVM_DISK_H
#define TICKVM_DISK_H

#include <stdbool.h>

#include "devices/virtio_blk.h"

struct error;

struct disk {
	int fd;
	struct virtio_blk_backing backing;
};

/* Exit code 2 and a line when it cannot be opened or is not whole sectors. */
int disk_open(struct disk *disk, const char *path, bool writable, struct error *e);
void disk_close(struct disk *disk);

#endif
