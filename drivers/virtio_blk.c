/*
 * Virtio block device (virtio 1.2 § 5.2): reads, on its one queue.
 *
 * A request is three descriptors: header, data, status. Each tag has its own three,
 * chained once and for all, so that a request only fills in sector and data.
 */
#include "drivers/virtio_blk.h"

#include <stddef.h>

#include "drivers/ioapic.h"
#include "drivers/virtio_mmio.h"
#include "drivers/virtio_queue.h"
#include "kernel/io.h"
#include "kernel/irq.h"

#define DEVICE_ID	2
#define QUEUE		0
#define CONFIG_CAPACITY 0 /* in sectors, two halves */

#define TYPE_IN	       0
#define STATUS_OK      0
#define STATUS_PENDING 0xff /* what no device writes */

#define GSI_VECTORS (IRQ_VECTOR_TIMER - IRQ_VECTOR_GSI)

enum { DESCRIPTOR_HEADER, DESCRIPTOR_DATA, DESCRIPTOR_STATUS, DESCRIPTORS };

struct request {
	struct {
		uint32_t type, reserved;
		uint64_t sector;
	} header;
	uint8_t status;
	bool used; /* taken from the used ring */
};

static enum { UNKNOWN, ABSENT, PRESENT } presence;
static struct virtio_mmio device;
static struct virtio_queue queue;
static struct request requests[VIRTIO_BLK_BATCH_MAX];
static unsigned tags;	/* how many requests the queue has room for */
static uint32_t in_use; /* a bit a tag */
static uint64_t sectors;
static bool can_interrupt, interrupts;
static bool broken; /* set by the handler */

/* ---- set-up ---- */

static void chain_descriptors(void)
{
	tags = queue.size / DESCRIPTORS;
	if (tags > VIRTIO_BLK_BATCH_MAX)
		tags = VIRTIO_BLK_BATCH_MAX;
	for (unsigned tag = 0; tag < tags; tag++) {
		struct request *request = &requests[tag];
		unsigned first = tag * DESCRIPTORS;
		struct virtio_descriptor *d = &queue.descriptors[first];

		d[DESCRIPTOR_HEADER] = (struct virtio_descriptor){
			(uintptr_t)&request->header, sizeof(request->header),
			VIRTIO_DESCRIPTOR_NEXT, first + DESCRIPTOR_DATA};
		d[DESCRIPTOR_DATA].flags = VIRTIO_DESCRIPTOR_NEXT | VIRTIO_DESCRIPTOR_WRITE;
		d[DESCRIPTOR_DATA].next = first + DESCRIPTOR_STATUS;
		d[DESCRIPTOR_STATUS] = (struct virtio_descriptor){(uintptr_t)&request->status,
								  sizeof(request->status),
								  VIRTIO_DESCRIPTOR_WRITE, 0};
	}
}

/* That it came is enough; who waits looks into the ring. */
static void on_interrupt(void *argument)
{
	if (virtio_mmio_acknowledge(&device) & VIRTIO_MMIO_CAUSE_CONFIG &&
	    virtio_mmio_is_broken(&device))
		__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
}

static bool route_interrupt(void)
{
	uint8_t vector = IRQ_VECTOR_GSI + device.gsi;

	if (device.gsi >= GSI_VECTORS || !irq_chip())
		return false;
	irq_attach(vector, on_interrupt, NULL);
	return ioapic_route(device.gsi, vector, irq_chip()->apic_id()) == 0 &&
	       ioapic_unmask(device.gsi) == 0;
}

static bool set_up(void)
{
	if (!virtio_mmio_find(DEVICE_ID, &device) || virtio_mmio_negotiate(&device) ||
	    virtio_mmio_add_queue(&device, QUEUE, &queue))
		return false;
	chain_descriptors();
	sectors = virtio_mmio_config32(&device, CONFIG_CAPACITY) |
		  (uint64_t)virtio_mmio_config32(&device, CONFIG_CAPACITY + 4) << 32;
	can_interrupt = route_interrupt();
	virtio_mmio_start(&device);
	return tags > 0;
}

bool virtio_blk_present(void)
{
	if (presence == UNKNOWN) {
		presence = set_up() ? PRESENT : ABSENT;
		virtio_blk_use_interrupts(true);
	}
	return presence == PRESENT;
}

uint64_t virtio_blk_sectors(void)
{
	return virtio_blk_present() ? sectors : 0;
}

bool virtio_blk_use_interrupts(bool wanted)
{
	interrupts = virtio_blk_present() && can_interrupt && wanted;
	virtio_queue_want_interrupt(&queue, interrupts);
	return interrupts;
}

/* ---- requests ---- */

int virtio_blk_start(uint64_t sector, void *buffer, unsigned count)
{
	struct virtio_descriptor *data;
	struct request *request;
	unsigned tag;

	if (!virtio_blk_present())
		return -1;
	tag = __builtin_ctz(~in_use);
	if (tag >= tags)
		return -1;
	in_use |= 1u << tag;
	request = &requests[tag];
	request->header.type = TYPE_IN;
	request->header.sector = sector;
	request->status = STATUS_PENDING;
	request->used = false;
	data = &queue.descriptors[tag * DESCRIPTORS + DESCRIPTOR_DATA];
	data->address = (uintptr_t)buffer;
	data->length = count * VIRTIO_BLK_SECTOR;
	virtio_queue_put(&queue, tag * DESCRIPTORS);
	return tag;
}

void virtio_blk_kick(void)
{
	if (virtio_queue_wants_notify(&queue))
		virtio_mmio_notify(&device, QUEUE);
}

static void take_used(void)
{
	struct virtio_used used;

	while (virtio_queue_take(&queue, &used)) {
		if (used.head >= tags * DESCRIPTORS)
			broken = true;
		else
			requests[used.head / DESCRIPTORS].used = true;
	}
}

enum virtio_blk_result virtio_blk_poll(int tag)
{
	const struct request *request = &requests[tag];

	take_used();
	if (!request->used && !__atomic_load_n(&broken, __ATOMIC_RELAXED))
		return VIRTIO_BLK_PENDING;
	in_use &= ~(1u << tag);
	return request->used && request->status == STATUS_OK ? VIRTIO_BLK_DONE : VIRTIO_BLK_FAILED;
}

void virtio_blk_doze(void)
{
	if (interrupts)
		cpu_idle();
	else
		cpu_pause();
}

int virtio_blk_read(uint64_t sector, void *buffer, unsigned count)
{
	int tag = virtio_blk_start(sector, buffer, count);
	enum virtio_blk_result result;
	bool irqs_on;

	if (tag < 0)
		return -1;
	virtio_blk_kick();
	irqs_on = irq_save();
	while ((result = virtio_blk_poll(tag)) == VIRTIO_BLK_PENDING)
		virtio_blk_doze();
	irq_restore(irqs_on);
	return result == VIRTIO_BLK_DONE ? 0 : -1;
}
