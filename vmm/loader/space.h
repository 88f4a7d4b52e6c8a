/*
 * Which parts of the guest's low memory are taken while an image is loaded, so
 * that nothing is put over anything else.
 */
#ifndef TICKVM_LOADER_SPACE_H
#define TICKVM_LOADER_SPACE_H

#include <stdint.h>

struct error;

#define SPACE_CONVENTIONAL_END UINT64_C(0x9fc00)  /* a PC's EBDA starts here */
#define SPACE_EXTENDED_BASE    UINT64_C(0x100000) /* after the BIOS area */

#define SPACE_RANGES_MAX 64

struct space {
	uint64_t end; /* of low RAM */
	struct space_range {
		uint64_t start, end; /* not empty */
		const char *name;
	} taken[SPACE_RANGES_MAX];
	unsigned count;
};

/* Takes page zero (null pointers, real-mode vectors) and the firmware's area. */
void space_init(struct space *space, uint64_t ram_end);

/* The first taken range that [start, start + length) meets; NULL: none. The range is in RAM. */
const struct space_range *space_overlap(const struct space *space, uint64_t start, uint64_t length);

/* Notes a range that is in RAM and meets no other. -1: too many ranges. */
int space_take(struct space *space, uint64_t start, uint64_t length, const char *name,
	       struct error *e);

/*
 * Takes the lowest free range of `length` bytes in [from, to) that starts at a
 * multiple of `alignment` (a power of two). -1: there is none.
 */
int space_place(struct space *space, uint64_t from, uint64_t to, uint64_t length,
		uint64_t alignment, const char *name, uint64_t *address, struct error *e);

/* The same for boot information: below 640 KiB, else above all that is taken; on 8 bytes. */
int space_place_info(struct space *space, uint64_t length, uint64_t *address, struct error *e);

/* The end of the highest taken range: what lies above belongs to no gap of the image. */
uint64_t space_top(const struct space *space);

#endif
