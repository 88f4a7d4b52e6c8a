/*
 * Virtio over MMIO, register version 2 (virtio 1.2 § 4.2; initialisation: § 3.1.1).
 */
#include "drivers/virtio_mmio.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/bootinfo.h"
#include "kernel/io.h"

enum {
	REG_MAGIC = 0x000,
	REG_VERSION = 0x004,
	REG_DEVICE_ID = 0x008,
	REG_DEVICE_FEATURES = 0x010,
	REG_DEVICE_FEATURES_SELECT = 0x014,
	REG_DRIVER_FEATURES = 0x020,
	REG_DRIVER_FEATURES_SELECT = 0x024,
	REG_QUEUE_SELECT = 0x030,
	REG_QUEUE_SIZE_MAX = 0x034,
	REG_QUEUE_SIZE = 0x038,
	REG_QUEUE_READY = 0x044,
	REG_QUEUE_NOTIFY = 0x050,
	REG_INTERRUPT_STATUS = 0x060,
	REG_INTERRUPT_ACK = 0x064,
	REG_STATUS = 0x070,
	REG_QUEUE_DESCRIPTORS = 0x080, /* two halves, as the next two */
	REG_QUEUE_AVAILABLE = 0x090,
	REG_QUEUE_USED = 0x0a0,
	REG_CONFIG = 0x100,
};

#define MAGIC	0x74726976 /* "virt" */
#define VERSION 2

#define STATUS_ACKNOWLEDGE (1u << 0)
#define STATUS_DRIVER	   (1u << 1)
#define STATUS_DRIVER_OK   (1u << 2)
#define STATUS_FEATURES_OK (1u << 3)
#define STATUS_NEEDS_RESET (1u << 6)
#define STATUS_FAILED	   (1u << 7)

/* VIRTIO_F_VERSION_1 is bit 32: the first of the high half. */
#define FEATURES_HIGH	   1
#define FEATURES_VERSION_1 1

#define RESET_READS_MAX 100000 /* before the device is given up on */

static const char word_start[] = "virtio_mmio.device=";

#define REACH_END (1ull << 32) /* of what the kernel maps */

static uint32_t reg_read(const struct virtio_mmio *device, unsigned reg)
{
	return mmio_read32(device->base + reg);
}

static void reg_write(const struct virtio_mmio *device, unsigned reg, uint32_t value)
{
	mmio_write32(device->base + reg, value);
}

/* ---- finding ---- */

/* "4K@0xd0000000:5"; what follows is an id that only Linux needs. */
static bool parse_word(const char *text, struct virtio_mmio *device)
{
	char *at;

	strtoull(text, &at, 0);
	at += *at == 'K' || *at == 'M';
	if (at == text || *at++ != '@')
		return false;
	device->base = strtoull(at, &at, 0);
	if (*at++ != ':' || device->base % 4 || device->base >= REACH_END - REG_CONFIG)
		return false;
	device->gsi = strtoul(at, NULL, 0);
	return true;
}

static bool is_kind(const struct virtio_mmio *device, uint32_t device_id)
{
	return reg_read(device, REG_MAGIC) == MAGIC && reg_read(device, REG_VERSION) == VERSION &&
	       reg_read(device, REG_DEVICE_ID) == device_id;
}

bool virtio_mmio_find(uint32_t device_id, struct virtio_mmio *device)
{
	const char *at = bootinfo()->cmdline;

	while ((at = strstr(at, word_start))) {
		at += sizeof(word_start) - 1;
		if (parse_word(at, device) && is_kind(device, device_id))
			return true;
	}
	return false;
}

/* ---- setting up ---- */

static void add_status(const struct virtio_mmio *device, uint32_t bits)
{
	reg_write(device, REG_STATUS, reg_read(device, REG_STATUS) | bits);
}

static int give_up(const struct virtio_mmio *device)
{
	add_status(device, STATUS_FAILED);
	return -1;
}

static int reset(const struct virtio_mmio *device)
{
	reg_write(device, REG_STATUS, 0);
	for (unsigned i = 0; i < RESET_READS_MAX; i++)
		if (reg_read(device, REG_STATUS) == 0)
			return 0;
	return -1;
}

static void write_features(const struct virtio_mmio *device, uint32_t half, uint32_t features)
{
	reg_write(device, REG_DRIVER_FEATURES_SELECT, half);
	reg_write(device, REG_DRIVER_FEATURES, features);
}

int virtio_mmio_negotiate(const struct virtio_mmio *device)
{
	if (reset(device))
		return -1;
	add_status(device, STATUS_ACKNOWLEDGE);
	add_status(device, STATUS_DRIVER);
	reg_write(device, REG_DEVICE_FEATURES_SELECT, FEATURES_HIGH);
	if (!(reg_read(device, REG_DEVICE_FEATURES) & FEATURES_VERSION_1))
		return give_up(device);
	write_features(device, 0, 0);
	write_features(device, FEATURES_HIGH, FEATURES_VERSION_1);
	add_status(device, STATUS_FEATURES_OK);
	if (!(reg_read(device, REG_STATUS) & STATUS_FEATURES_OK))
		return give_up(device);
	return 0;
}

static void write_area(const struct virtio_mmio *device, unsigned reg, const void *area)
{
	reg_write(device, reg, (uintptr_t)area);
	reg_write(device, reg + 4, (uintptr_t)area >> 32);
}

int virtio_mmio_add_queue(const struct virtio_mmio *device, unsigned index,
			  struct virtio_queue *queue)
{
	uint32_t most;

	reg_write(device, REG_QUEUE_SELECT, index);
	most = reg_read(device, REG_QUEUE_SIZE_MAX);
	if (most == 0 || reg_read(device, REG_QUEUE_READY))
		return give_up(device);
	queue->size = most < VIRTIO_QUEUE_MAX ? most : VIRTIO_QUEUE_MAX;
	reg_write(device, REG_QUEUE_SIZE, queue->size);
	write_area(device, REG_QUEUE_DESCRIPTORS, queue->descriptors);
	write_area(device, REG_QUEUE_AVAILABLE, &queue->available);
	write_area(device, REG_QUEUE_USED, &queue->used);
	reg_write(device, REG_QUEUE_READY, 1);
	return reg_read(device, REG_QUEUE_READY) ? 0 : give_up(device);
}

void virtio_mmio_start(const struct virtio_mmio *device)
{
	add_status(device, STATUS_DRIVER_OK);
}

/* ---- at work ---- */

void virtio_mmio_notify(const struct virtio_mmio *device, unsigned index)
{
	reg_write(device, REG_QUEUE_NOTIFY, index);
}

uint32_t virtio_mmio_acknowledge(const struct virtio_mmio *device)
{
	uint32_t causes = reg_read(device, REG_INTERRUPT_STATUS);

	reg_write(device, REG_INTERRUPT_ACK, causes);
	return causes;
}

bool virtio_mmio_is_broken(const struct virtio_mmio *device)
{
	return reg_read(device, REG_STATUS) & STATUS_NEEDS_RESET;
}

uint32_t virtio_mmio_config32(const struct virtio_mmio *device, unsigned offset)
{
	return reg_read(device, REG_CONFIG + offset);
}
