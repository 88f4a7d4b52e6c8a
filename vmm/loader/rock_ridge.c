/* System use entries: SUSP 1.12 § 4 and § 5, RRIP 1.12 § 4.1. */
#include "rock_ridge.h"

#include <string.h>

#include "bytes.h"

#define SECTOR_BYTES 2048

/* An entry: signature (2 bytes), length, version, data. Data's offsets: */
#define ENTRY_HEADER 4
#define CE_BLOCK     4 /* each number is in both byte orders, little endian first */
#define CE_OFFSET    12
#define CE_LENGTH    20
#define CE_BYTES     28
#define CL_BLOCK     4
#define CL_BYTES     12
#define NM_FLAGS     4
#define NM_NAME	     5
#define SP_CHECK     4
#define SP_SKIP	     6
#define SP_BYTES     7

static bool is(const uint8_t *entry, const char *signature, unsigned least_bytes)
{
	return !memcmp(entry, signature, 2) && entry[2] >= least_bytes;
}

bool rock_ridge_skip(struct view system_use, uint8_t *skip)
{
	const uint8_t *entry = system_use.data;

	/* On a CD-ROM XA disc 14 bytes come first; GRUB and xorriso make none. */
	if (system_use.size < SP_BYTES || !is(entry, "SP", SP_BYTES) || entry[SP_CHECK] != 0xbe ||
	    entry[SP_CHECK + 1] != 0xef)
		return false;
	*skip = entry[SP_SKIP];
	return true;
}

/* A name may come in several parts. Its "." and ".." flags never meet a path's component. */
static void add_name(const uint8_t *entry, struct rock_ridge *out)
{
	unsigned length = entry[2] - NM_NAME;

	if (length > ROCK_RIDGE_NAME_MAX - out->name_length)
		length = ROCK_RIDGE_NAME_MAX - out->name_length;
	memcpy(out->name + out->name_length, entry + NM_NAME, length);
	out->name_length += length;
	out->has_name = true;
}

static void read_entry(const uint8_t *entry, struct rock_ridge *out)
{
	if (is(entry, "NM", NM_NAME)) {
		add_name(entry, out);
	} else if (is(entry, "CL", CL_BYTES)) {
		out->has_child_link = true;
		out->child_link = bytes_u32(entry + CL_BLOCK);
	} else if (is(entry, "SL", ENTRY_HEADER)) {
		out->is_link = true;
	} else if (is(entry, "ZF", ENTRY_HEADER)) {
		out->is_compressed = true;
	}
}

/* The entries of one area; *next: where a CE entry says they go on, or nothing. */
static int read_area(struct view image, struct view area, unsigned *steps_left,
		     struct rock_ridge *out, struct view *next)
{
	*next = (struct view){.data = area.data};
	while (area.size >= ENTRY_HEADER && area.data[0]) {
		const uint8_t *entry = area.data;

		if (entry[2] < ENTRY_HEADER || entry[2] > area.size || !*steps_left)
			return -1;
		--*steps_left;
		if (is(entry, "ST", ENTRY_HEADER))
			break;
		if (is(entry, "CE", CE_BYTES) &&
		    view_slice(image,
			       (uint64_t)bytes_u32(entry + CE_BLOCK) * SECTOR_BYTES +
				       bytes_u32(entry + CE_OFFSET),
			       bytes_u32(entry + CE_LENGTH), next) < 0)
			return -1;
		read_entry(entry, out);
		area.data += entry[2];
		area.size -= entry[2];
	}
	return 0;
}

int rock_ridge_read(struct view image, struct view system_use, uint8_t skip, unsigned *steps_left,
		    struct rock_ridge *out)
{
	struct view area = system_use;

	if (skip > area.size)
		return 0;
	area.data += skip;
	area.size -= skip;
	/* A continuation that leads back to itself ends when the steps do. */
	while (area.size >= ENTRY_HEADER) {
		struct view next;

		if (read_area(image, area, steps_left, out, &next) < 0)
			return -1;
		area = next;
	}
	return 0;
}
