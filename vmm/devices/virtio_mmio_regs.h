/*
 * The registers of virtio over MMIO, version 2, and their bits: virtio 1.2 § 4.2.2, § 2.1.
 */
#ifndef TICKVM_DEVICES_VIRTIO_MMIO_REGS_H
#define TICKVM_DEVICES_VIRTIO_MMIO_REGS_H

#include "virtio_mmio.h"

/* Those that the transport lacks (shared memory, QueueReset) read all ones. */
enum virtio_mmio_register {
	REG_MAGIC = 0x000,
	REG_VERSION = 0x004,
	REG_DEVICE_ID = 0x008,
	REG_VENDOR_ID = 0x00c,
	REG_DEVICE_FEATURES = 0x010,
	REG_DEVICE_FEATURES_SELECT = 0x014,
	REG_DRIVER_FEATURES = 0x020,
	REG_DRIVER_FEATURES_SELECT = 0x024,
	REG_QUEUE_SELECT = 0x030,
	REG_QUEUE_SIZE_MAX = 0x034,
	REG_QUEUE_SIZE = 0x038,
	REG_QUEUE_READY = 0x044,
	REG_QUEUE_NOTIFY = VIRTIO_MMIO_QUEUE_NOTIFY,
	REG_INTERRUPT_STATUS = 0x060,
	REG_INTERRUPT_ACK = 0x064,
	REG_STATUS = 0x070,
	REG_QUEUE_DESCRIPTORS = 0x080, /* low half; the high one follows, as of the next two */
	REG_QUEUE_AVAILABLE = 0x090,
	REG_QUEUE_USED = 0x0a0,
	REG_CONFIG_GENERATION = 0x0fc,
	REG_CONFIG = 0x100,
};

#define MAGIC	0x74726976 /* "virt" */
#define VERSION 2
#define VENDOR	0x4d564b54 /* "TKVM" */

/* Device status, § 2.1. */
#define STATUS_ACKNOWLEDGE (1u << 0)
#define STATUS_DRIVER	   (1u << 1)
#define STATUS_DRIVER_OK   (1u << 2)
#define STATUS_FEATURES_OK (1u << 3)
#define STATUS_NEEDS_RESET (1u << 6)
#define STATUS_FAILED	   (1u << 7)

#define INTERRUPT_USED	 (1u << 0)
#define INTERRUPT_CONFIG (1u << 1)

#endif
