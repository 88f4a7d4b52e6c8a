/* A file as the backing of a guest's disk: see disk.h. */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"

#define DISK_NAME "tickvm"

typedef ssize_t transfer_call(int fd, const struct iovec *parts, int count, off_t offset);

/* Drops what was transferred from the front of the parts. */
static void drop_front(struct iovec **parts, int *count, size_t bytes)
{
	while (*count && bytes >= (*parts)->iov_len) {
		bytes -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count && bytes) {
		(*parts)->iov_base = (uint8_t *)(*parts)->iov_base + bytes;
		(*parts)->iov_len -= bytes;
	}
}

/* A transfer may be short, of a large request or at a signal; one of 0 bytes is the end. */
static int transfer(const struct disk *disk, transfer_call *call, uint64_t offset,
		    const struct virtio_buffer *buffers, unsigned buffer_count)
{
	struct iovec all[VIRTIO_QUEUE_MAX], *parts = all;
	int count = (int)buffer_count;

	for (int i = 0; i < count; i++)
		all[i] = (struct iovec){buffers[i].data, buffers[i].length};
	while (count) {
		ssize_t done = call(disk->fd, parts, count, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		offset += (uint64_t)done;
		drop_front(&parts, &count, (size_t)done);
	}
	return 0;
}

static int disk_read(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		     unsigned count)
{
	return transfer(opaque, preadv, offset, buffers, count);
}

static int disk_write(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		      unsigned count)
{
	return transfer(opaque, pwritev, offset, buffers, count);
}

static int disk_flush(void *opaque)
{
	const struct disk *disk = opaque;

	return fdatasync(disk->fd);
}

/* Of a file, or of a block device, which stat() has no size of. -1: neither. */
static int64_t size_of(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return -1;
	if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return lseek(fd, 0, SEEK_END);
}

static int check_size(const char *path, int64_t bytes, struct error *e)
{
	if (bytes < 0)
		return error_set(e, TK_EXIT_USAGE, "--disk: %s: %s", path,
				 errno == EINVAL ? "neither a file nor a block device"
						 : strerror(errno));
	if (bytes == 0 || bytes % VIRTIO_BLK_SECTOR)
		return error_set(e, TK_EXIT_USAGE,
				 "--disk: %s: %lld bytes are not whole sectors of %d", path,
				 (long long)bytes, VIRTIO_BLK_SECTOR);
	return 0;
}

int disk_open(struct disk *disk, const char *path, bool writable, struct error *e)
{
	int64_t bytes;

	/* Not blocking: a pipe without a writer is to be refused, not waited for. */
	disk->fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
	if (disk->fd < 0)
		return error_set(e, TK_EXIT_USAGE, "--disk: %s: %s", path, strerror(errno));
	bytes = size_of(disk->fd);
	if (check_size(path, bytes, e)) {
		disk_close(disk);
		return -1;
	}
	disk->backing = (struct virtio_blk_backing){
		.read = disk_read,
		.write = disk_write,
		.flush = disk_flush,
		.opaque = disk,
		.sectors = (uint64_t)bytes / VIRTIO_BLK_SECTOR,
		.read_only = !writable,
		.name = DISK_NAME,
	};
	return 0;
}

void disk_close(struct disk *disk)
{
	if (disk->fd >= 0)
		close(disk->fd);
	disk->fd = -1;
}
