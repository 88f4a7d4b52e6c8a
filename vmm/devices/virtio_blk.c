/* Virtio block device: see virtio_blk.h. */
#include "virtio_blk.h"

#include <stddef.h>
#include <string.h>

#define DEVICE_ID 2

#define F_SEG_MAX  (UINT64_C(1) << 2)
#define F_RO	   (UINT64_C(1) << 5)
#define F_BLK_SIZE (UINT64_C(1) << 6)
#define F_FLUSH	   (UINT64_C(1) << 9)

/* The head of the configuration space, § 5.2.4; what follows belongs to other features. */
struct virtio_blk_config {
	uint64_t capacity; /* sectors */
	uint32_t size_max;
	uint32_t seg_max; /* data buffers of a request: all but header and status */
	uint8_t geometry[4];
	uint32_t blk_size;
};
_Static_assert(offsetof(struct virtio_blk_config, seg_max) == 12, "seg_max at 12");
_Static_assert(offsetof(struct virtio_blk_config, blk_size) == 20, "blk_size at 20");

/* § 5.2.6 */
struct virtio_blk_header {
	uint32_t type, reserved;
	uint64_t sector;
};
_Static_assert(sizeof(struct virtio_blk_header) == 16, "virtio_blk_header is 16 bytes");

enum request_type { TYPE_IN = 0, TYPE_OUT = 1, TYPE_FLUSH = 4, TYPE_GET_ID = 8 };
enum request_status { STATUS_OK = 0, STATUS_IOERR = 1, STATUS_UNSUPP = 2 };

/* A request without its header and status byte, wherever the driver split it (§ 2.7.4). */
struct request {
	struct virtio_blk_header header;
	struct virtio_buffer *out, *in; /* what a write takes, and what a read fills */
	unsigned out_count, in_count;
	uint64_t out_bytes, in_bytes;
	uint8_t *status;
};

static uint64_t total(const struct virtio_buffer *buffers, unsigned count)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += buffers[i].length;
	return bytes;
}

/* Moves the header out of the front of the readable buffers. -1: they are too short. */
static int take_header(struct request *request)
{
	uint8_t *to = (uint8_t *)&request->header;
	uint32_t left = sizeof(request->header);

	while (left && request->out_count) {
		struct virtio_buffer *first = request->out;
		uint32_t part = first->length < left ? first->length : left;

		memcpy(to, first->data, part);
		to += part;
		left -= part;
		first->data += part;
		first->length -= part;
		if (first->length == 0) {
			request->out++;
			request->out_count--;
		}
	}
	return left ? -1 : 0;
}

/* The status is the last byte that the device may write. -1: there is none. */
static int take_status(struct request *request)
{
	struct virtio_buffer *last;

	if (request->in_count == 0)
		return -1;
	last = &request->in[request->in_count - 1];
	request->status = &last->data[--last->length];
	if (last->length == 0)
		request->in_count--;
	return 0;
}

static int parse(struct virtio_chain *chain, struct request *request)
{
	request->out = chain->buffers;
	request->out_count = chain->readable;
	request->in = chain->buffers + chain->readable;
	request->in_count = chain->writable;
	if (take_header(request) || take_status(request))
		return -1;
	request->out_bytes = total(request->out, request->out_count);
	request->in_bytes = total(request->in, request->in_count);
	return 0;
}

/* Whole sectors, all of them on the disk. */
static bool is_inside(const struct virtio_blk_backing *backing, uint64_t sector, uint64_t bytes)
{
	uint64_t count = bytes / VIRTIO_BLK_SECTOR;

	return bytes % VIRTIO_BLK_SECTOR == 0 && sector <= backing->sectors &&
	       count <= backing->sectors - sector;
}

static enum request_status read_sectors(const struct virtio_blk_backing *backing,
					const struct request *request, uint64_t *written)
{
	uint64_t sector = request->header.sector;

	if (!is_inside(backing, sector, request->in_bytes) ||
	    backing->read(backing->opaque, sector * VIRTIO_BLK_SECTOR, request->in,
			  request->in_count))
		return STATUS_IOERR;
	*written = request->in_bytes;
	return STATUS_OK;
}

static enum request_status write_sectors(const struct virtio_blk_backing *backing,
					 const struct request *request)
{
	uint64_t sector = request->header.sector;

	if (backing->read_only || !is_inside(backing, sector, request->out_bytes) ||
	    backing->write(backing->opaque, sector * VIRTIO_BLK_SECTOR, request->out,
			   request->out_count))
		return STATUS_IOERR;
	return STATUS_OK;
}

static enum request_status flush(const struct virtio_blk_backing *backing)
{
	if (backing->read_only)
		return STATUS_OK;
	return backing->flush(backing->opaque) ? STATUS_IOERR : STATUS_OK;
}

static enum request_status get_id(const struct virtio_blk_backing *backing,
				  const struct request *request, uint64_t *written)
{
	const char *from = backing->name;
	uint32_t left = VIRTIO_BLK_NAME;

	for (unsigned i = 0; left && i < request->in_count; i++) {
		const struct virtio_buffer *buffer = &request->in[i];
		uint32_t part = buffer->length < left ? buffer->length : left;

		memcpy(buffer->data, from, part);
		from += part;
		left -= part;
	}
	*written = VIRTIO_BLK_NAME - left;
	return STATUS_OK;
}

static enum request_status execute(const struct virtio_blk_backing *backing,
				   const struct request *request, uint64_t *written)
{
	switch (request->header.type) {
	case TYPE_IN:
		return read_sectors(backing, request, written);
	case TYPE_OUT:
		return write_sectors(backing, request);
	case TYPE_FLUSH:
		return flush(backing);
	case TYPE_GET_ID:
		return get_id(backing, request, written);
	default:
		return STATUS_UNSUPP;
	}
}

/*
 * What is told to be written has no gap (§ 2.7.8.2): the status byte, which comes last,
 * counts only behind buffers that were filled.
 */
static int64_t serve(void *opaque, struct virtio_chain *chain)
{
	const struct virtio_blk *blk = opaque;
	struct request request;
	uint64_t written = 0;

	if (parse(chain, &request))
		return -1;
	*request.status = (uint8_t)execute(blk->backing, &request, &written);
	return (int64_t)(written == request.in_bytes ? written + 1 : written);
}

static uint32_t read_config(void *opaque, uint32_t offset, unsigned size)
{
	const struct virtio_blk *blk = opaque;
	const struct virtio_blk_config config = {.capacity = blk->backing->sectors,
						 .seg_max = VIRTIO_QUEUE_MAX - 2,
						 .blk_size = VIRTIO_BLK_SECTOR};
	uint32_t value = 0;

	if (offset <= sizeof(config) && size <= sizeof(config) - offset)
		memcpy(&value, (const uint8_t *)&config + offset, size);
	return value;
}

void virtio_blk_init(struct virtio_blk *blk, const struct virtio_blk_backing *backing)
{
	blk->backing = backing;
	blk->device = (struct virtio_device){
		.id = DEVICE_ID,
		.features = F_SEG_MAX | F_BLK_SIZE | (backing->read_only ? F_RO : F_FLUSH),
		.serve = serve,
		.read_config = read_config,
		.opaque = blk,
	};
}
