/*
 * A reader for ISO 9660 (ECMA-119) file systems with Rock Ridge names (SUSP 1.12,
 * RRIP 1.12): finds a file by its path. Read-only, no state, no allocation.
 */
#ifndef TICKVM_LOADER_ISO9660_H
#define TICKVM_LOADER_ISO9660_H

#include <stdbool.h>
#include <stdint.h>

#include "loader.h"

struct iso9660 {
	struct view image;
	struct view root; /* the root directory's records */
	bool rock_ridge;
	uint8_t susp_skip; /* bytes before the first system use entry of a record */
};

/* Whether an image has a volume descriptor where ECMA-119 puts it. */
bool iso9660_is(struct view image);

/* Reads the primary volume descriptor. */
int iso9660_open(struct view image, struct iso9660 *iso, struct error *e);

/*
 * The bytes of a regular file. `path`: from the root, components between slashes;
 * matched exactly against Rock Ridge names, without regard to case against plain
 * ISO ones (without their version). -1: not there, or not readable as one extent.
 */
int iso9660_find(const struct iso9660 *iso, const char *path, struct view *file, struct error *e);

#endif
