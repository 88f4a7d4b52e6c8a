/*
 * Images that say where they lie by the address fields of their multiboot header
 * (multiboot 1 flag 16, multiboot 2 address tag), whatever format the file has.
 */
#ifndef TICKVM_LOADER_FLAT_H
#define TICKVM_LOADER_FLAT_H

#include <stdint.h>

#include "loader.h"
#include "space.h"

/* Named as both specifications do. All are physical. */
struct flat_image {
	uint32_t header_offset; /* of the multiboot header in the file */
	uint32_t header_addr;	/* of the same in memory */
	uint32_t load_addr;
	uint32_t load_end_addr; /* 0: the whole file is loaded */
	uint32_t bss_end_addr;	/* 0: no zeroed memory after it */
	uint32_t entry_addr;	/* in what was loaded from the file */
};

int flat_load(struct view file, const struct flat_image *image, const struct ram *ram,
	      struct space *space, struct error *e);

#endif
