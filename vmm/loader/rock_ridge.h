/*
 * System use entries of an ISO 9660 directory record: IEEE P1281 (SUSP 1.12) and
 * P1282 (Rock Ridge, RRIP 1.12), as far as finding and reading a file needs them.
 */
#ifndef TICKVM_LOADER_ROCK_RIDGE_H
#define TICKVM_LOADER_ROCK_RIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "loader.h"

#define ROCK_RIDGE_NAME_MAX 1024 /* longer ones are cut: no path component is as long */

struct rock_ridge {
	bool has_name;
	unsigned name_length;
	char name[ROCK_RIDGE_NAME_MAX]; /* without a NUL */
	bool has_child_link;		/* a directory that lies elsewhere, at block child_link */
	uint32_t child_link;
	bool is_link;	    /* symbolic */
	bool is_compressed; /* zisofs */
};

/* Whether the root's own record begins with an SP entry; *skip: what it says. */
bool rock_ridge_skip(struct view system_use, uint8_t *skip);

/*
 * Reads a record's entries, and their continuations elsewhere in the image. Each
 * entry takes one of *steps_left. -1: damaged, or out of steps.
 */
int rock_ridge_read(struct view image, struct view system_use, uint8_t skip, unsigned *steps_left,
		    struct rock_ridge *out);

#endif
