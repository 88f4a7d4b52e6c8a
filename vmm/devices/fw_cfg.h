/*
 * QEMU's firmware configuration device, the part that old test images read:
 * items by 16-bit key through the traditional interface of QEMU's
 * docs/specs/fw_cfg, read-only, no DMA.
 */
#ifndef TICKVM_DEVICES_FW_CFG_H
#define TICKVM_DEVICES_FW_CFG_H

#include "bus.h"

#define FW_CFG_PORTS	  2
#define FW_CFG_ITEMS_MAX  16
#define FW_CFG_DATA_BYTES 256 /* of all items */

enum fw_cfg_key {
	FW_CFG_SIGNATURE = 0, /* "QEMU" */
	FW_CFG_RAM_SIZE = 3,  /* bytes, 64 bits */
	FW_CFG_CPUS = 5,      /* 16 bits */
	FW_CFG_CPUS_MAX = 15, /* 16 bits */
};

struct fw_cfg_state {
	uint16_t key;	 /* selected */
	uint32_t offset; /* of the next byte to read */
};

/*
 * The state is guarded by the lock that fw_cfg_region() is given: the bus holds it
 * in every access. The items do not change once the guest runs.
 */
struct fw_cfg {
	struct fw_cfg_state state;
	struct fw_cfg_item {
		uint16_t key;
		uint32_t first, length; /* in data[] */
	} items[FW_CFG_ITEMS_MAX];
	unsigned count;
	uint8_t data[FW_CFG_DATA_BYTES];
	uint32_t used;
};

/* With the signature, and no other item. */
void fw_cfg_init(struct fw_cfg *fw_cfg);

/* Adds a copy of `data` under `key`. -1: there is one already, or no room. */
int fw_cfg_add(struct fw_cfg *fw_cfg, uint16_t key, const void *data, uint32_t length);

struct bus_region fw_cfg_region(struct fw_cfg *fw_cfg, uint16_t base, pthread_mutex_t *lock);

#endif
