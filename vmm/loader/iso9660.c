/*
 * ISO 9660 directories: ECMA-119 § 8.4 (volume descriptor), § 9.1 (directory record).
 *
 * A record's numbers are stored in both byte orders; the little-endian one is used.
 * A path costs a bounded number of steps whatever the image says: see WALK_STEPS.
 */
#include "iso9660.h"

#include <string.h>
#include <strings.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "bytes.h"
#include "rock_ridge.h"

#define SECTOR_BYTES	   2048
#define FIRST_DESCRIPTOR   UINT64_C(16) /* sector */
#define DESCRIPTORS_MAX	   64
#define DESCRIPTOR_PRIMARY 1
#define DESCRIPTOR_END	   255
#define ROOT_RECORD	   156 /* offset in the primary descriptor */
#define BLOCK_SIZE_FIELD   128

/* Offsets in a directory record. */
#define RECORD_XATTR_BLOCKS 1
#define RECORD_EXTENT	    2
#define RECORD_BYTES	    10
#define RECORD_FLAGS	    25
#define RECORD_UNIT_SIZE    26
#define RECORD_GAP_SIZE	    27
#define RECORD_NAME_LENGTH  32
#define RECORD_NAME	    33

#define FLAG_DIRECTORY	  0x02
#define FLAG_MULTI_EXTENT 0x80

/* Records and system use entries looked at for one path: an honest image needs far fewer. */
#define WALK_STEPS (1u << 18)

struct record {
	const uint8_t *bytes; /* RECORD_NAME + name length at least, all in the image */
	struct view name;
	struct view system_use;
};

/* A path being looked up. */
struct walk {
	const struct iso9660 *iso;
	const char *path; /* whole, for messages */
	unsigned steps_left;
	struct error *error;
};

static int refuse(const struct walk *walk, const char *what)
{
	error_set(walk->error, TK_EXIT_USAGE, "ISO 9660: %s: %s", what, walk->path);
	return -1;
}

bool iso9660_is(struct view image)
{
	struct view descriptor;

	return !view_slice(image, FIRST_DESCRIPTOR * SECTOR_BYTES, SECTOR_BYTES, &descriptor) &&
	       !memcmp(descriptor.data + 1, "CD001", 5);
}

/* The bytes that a record points to. */
static int record_extent(struct view image, const uint8_t *bytes, struct view *out)
{
	uint64_t block = (uint64_t)bytes_u32(bytes + RECORD_EXTENT) + bytes[RECORD_XATTR_BLOCKS];

	return view_slice(image, block * SECTOR_BYTES, bytes_u32(bytes + RECORD_BYTES), out);
}

/* The record at `offset` of a directory. -1: it is cut short. */
static int read_record(struct view directory, uint64_t offset, struct record *record)
{
	struct view bytes;
	unsigned name_end;

	if (view_slice(directory, offset, directory.data[offset], &bytes) < 0 ||
	    bytes.size < RECORD_NAME)
		return -1;
	record->bytes = bytes.data;
	if (view_slice(bytes, RECORD_NAME, bytes.data[RECORD_NAME_LENGTH], &record->name) < 0 ||
	    !record->name.size)
		return -1;
	/* A pad byte makes the name's end even. */
	name_end = RECORD_NAME + (unsigned)record->name.size;
	name_end += name_end & 1;
	record->system_use = (struct view){.data = bytes.data + bytes.size};
	if (name_end < bytes.size)
		(void)view_slice(bytes, name_end, bytes.size - name_end, &record->system_use);
	return 0;
}

/* Whether the root says that its records carry system use entries (SUSP § 5.3). */
static void find_susp(struct iso9660 *iso)
{
	struct record self;

	if (!iso->root.size || read_record(iso->root, 0, &self) < 0)
		return;
	iso->rock_ridge = rock_ridge_skip(self.system_use, &iso->susp_skip);
}

static int read_primary(struct view descriptor, struct iso9660 *iso, struct error *e)
{
	uint16_t block_size = bytes_u16(descriptor.data + BLOCK_SIZE_FIELD);

	if (block_size != SECTOR_BYTES)
		return error_set(e, TK_EXIT_USAGE, "ISO 9660: logical block size %u: should be %u",
				 block_size, SECTOR_BYTES);
	if (record_extent(iso->image, descriptor.data + ROOT_RECORD, &iso->root) < 0)
		return error_set(e, TK_EXIT_USAGE, "ISO 9660: root directory: outside the image");
	find_susp(iso);
	return 0;
}

int iso9660_open(struct view image, struct iso9660 *iso, struct error *e)
{
	struct view descriptor;

	*iso = (struct iso9660){.image = image};
	for (unsigned i = 0; i < DESCRIPTORS_MAX; i++) {
		uint64_t offset = (FIRST_DESCRIPTOR + i) * SECTOR_BYTES;

		if (view_slice(image, offset, SECTOR_BYTES, &descriptor) < 0 ||
		    memcmp(descriptor.data + 1, "CD001", 5) != 0 ||
		    descriptor.data[0] == DESCRIPTOR_END)
			break;
		if (descriptor.data[0] == DESCRIPTOR_PRIMARY)
			return read_primary(descriptor, iso, e);
	}
	return error_set(e, TK_EXIT_USAGE, "ISO 9660: no primary volume descriptor");
}

/* A plain name is upper case and has ";VERSION", and perhaps a dot that ends it. */
static bool plain_name_is(struct view name, const char *wanted, unsigned length)
{
	const uint8_t *version = memchr(name.data, ';', name.size);
	uint64_t size = version ? (uint64_t)(version - name.data) : name.size;

	if (size && name.data[size - 1] == '.')
		size--;
	return size == length && !strncasecmp((const char *)name.data, wanted, length);
}

/* 1: this record has the wanted name; 0: another one; -1: the image is damaged. */
static int match(struct walk *walk, const struct record *record, const char *wanted,
		 unsigned length, struct rock_ridge *extra)
{
	*extra = (struct rock_ridge){0};
	if (record->name.size == 1 && record->name.data[0] <= 1)
		return 0; /* the directory itself and its parent */
	if (walk->iso->rock_ridge &&
	    rock_ridge_read(walk->iso->image, record->system_use, walk->iso->susp_skip,
			    &walk->steps_left, extra) < 0)
		return refuse(walk, "damaged Rock Ridge fields on the way to");
	if (extra->has_name)
		return extra->name_length == length && !memcmp(extra->name, wanted, length);
	return plain_name_is(record->name, wanted, length);
}

/* A zero length byte: no record crosses a sector's end, so the next one starts the next. */
static uint64_t next_sector(uint64_t offset)
{
	return (offset / SECTOR_BYTES + 1) * SECTOR_BYTES;
}

static int find_record(struct walk *walk, struct view directory, const char *wanted,
		       unsigned length, struct record *record, struct rock_ridge *extra)
{
	uint64_t offset = 0;

	while (offset < directory.size) {
		int found;

		if (!walk->steps_left)
			return refuse(walk, "too many directory records on the way to");
		walk->steps_left--;
		if (!directory.data[offset]) {
			offset = next_sector(offset);
			continue;
		}
		if (read_record(directory, offset, record) < 0)
			return refuse(walk, "directory record cut short on the way to");
		found = match(walk, record, wanted, length, extra);
		if (found)
			return found < 0 ? -1 : 0;
		offset += record->bytes[0];
	}
	return refuse(walk, "no such file");
}

/* A directory that was moved up to keep the tree flat: its own first record has its size. */
static int follow_child_link(struct walk *walk, uint32_t block, struct view *directory)
{
	struct view start;

	if (view_slice(walk->iso->image, (uint64_t)block * SECTOR_BYTES, SECTOR_BYTES, &start) <
		    0 ||
	    view_slice(walk->iso->image, (uint64_t)block * SECTOR_BYTES,
		       bytes_u32(start.data + RECORD_BYTES), directory) < 0)
		return refuse(walk, "moved directory outside the image");
	return 0;
}

static int enter(struct walk *walk, const struct record *record, const struct rock_ridge *extra,
		 struct view *directory)
{
	if (extra->has_child_link)
		return follow_child_link(walk, extra->child_link, directory);
	if (!(record->bytes[RECORD_FLAGS] & FLAG_DIRECTORY))
		return refuse(walk, "no directory in");
	if (record_extent(walk->iso->image, record->bytes, directory) < 0)
		return refuse(walk, "directory outside the image");
	return 0;
}

static int open_file(const struct walk *walk, const struct record *record,
		     const struct rock_ridge *extra, struct view *file)
{
	const uint8_t *bytes = record->bytes;

	if ((bytes[RECORD_FLAGS] & FLAG_DIRECTORY) || extra->has_child_link)
		return refuse(walk, "a directory, not a file");
	if (extra->is_link)
		return refuse(walk, "a symbolic link");
	if (extra->is_compressed)
		return refuse(walk, "compressed (zisofs)");
	if (bytes[RECORD_FLAGS] & FLAG_MULTI_EXTENT)
		return refuse(walk, "in several extents");
	if (bytes[RECORD_UNIT_SIZE] || bytes[RECORD_GAP_SIZE])
		return refuse(walk, "interleaved");
	if (record_extent(walk->iso->image, bytes, file) < 0)
		return refuse(walk, "file outside the image");
	return 0;
}

int iso9660_find(const struct iso9660 *iso, const char *path, struct view *file, struct error *e)
{
	struct walk walk = {iso, path, WALK_STEPS, e};
	struct view directory = iso->root;
	const char *at = path + strspn(path, "/");
	struct rock_ridge extra;
	struct record record;

	for (;;) {
		unsigned length = (unsigned)strcspn(at, "/");
		const char *next = at + length + strspn(at + length, "/");

		if (!length)
			return refuse(&walk, "no such file");
		if (find_record(&walk, directory, at, length, &record, &extra) < 0)
			return -1;
		if (!at[length])
			return open_file(&walk, &record, &extra, file);
		if (enter(&walk, &record, &extra, &directory) < 0)
			return -1;
		at = next;
	}
}
