/*
 * The virtio block device, through its transport, on a disk in memory: requests however
 * they are split, past the end, to a read-only disk, of unknown kind, and malformed ones.
 */
#include "virtio_rig.h"

#include "vmm/devices/virtio_blk.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define SECTORS 4
#define SECTOR	VIRTIO_BLK_SECTOR

enum { IN = 0, OUT = 1, FLUSH = 4, GET_ID = 8 };
enum { OK = 0, IOERR = 1, UNSUPP = 2, UNTOUCHED = 0xee };

#define F_RO	(1u << 5)
#define F_FLUSH (1u << 9)

/* Where the driver puts a request: header, data, status. */
enum { HEADER = RIG_DATA, DATA = RIG_DATA + 0x1000, STATUS_BYTE = RIG_DATA + 0x3000 };

struct disk {
	uint8_t bytes[SECTORS * SECTOR];
	unsigned reads, writes, flushes;
	bool fails;
};

struct blk_rig {
	struct rig rig;
	struct disk disk;
	struct virtio_blk_backing backing;
	struct virtio_blk blk;
};

static int copy(struct disk *disk, uint64_t offset, const struct virtio_buffer *buffers,
		unsigned count, bool out)
{
	for (unsigned i = 0; i < count; offset += buffers[i++].length) {
		assert_true(offset + buffers[i].length <= sizeof(disk->bytes));
		if (out)
			memcpy(disk->bytes + offset, buffers[i].data, buffers[i].length);
		else
			memcpy(buffers[i].data, disk->bytes + offset, buffers[i].length);
	}
	return disk->fails ? -1 : 0;
}

static int disk_read(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		     unsigned count)
{
	struct disk *disk = opaque;

	disk->reads++;
	return copy(disk, offset, buffers, count, false);
}

static int disk_write(void *opaque, uint64_t offset, const struct virtio_buffer *buffers,
		      unsigned count)
{
	struct disk *disk = opaque;

	disk->writes++;
	return copy(disk, offset, buffers, count, true);
}

static int disk_flush(void *opaque)
{
	struct disk *disk = opaque;

	disk->flushes++;
	return disk->fails ? -1 : 0;
}

static void start(struct blk_rig *b, bool read_only)
{
	memset(&b->disk, 0, sizeof(b->disk));
	for (unsigned i = 0; i < sizeof(b->disk.bytes); i++)
		b->disk.bytes[i] = (uint8_t)(i / SECTOR * 16 + i % 13);
	b->backing = (struct virtio_blk_backing){.read = disk_read,
						 .write = disk_write,
						 .flush = disk_flush,
						 .opaque = &b->disk,
						 .sectors = SECTORS,
						 .read_only = read_only,
						 .name = "a name"};
	virtio_blk_init(&b->blk, &b->backing);
	rig_init(&b->rig, &b->blk.device);
	bring_up(&b->rig);
}

static int make(void **state)
{
	static struct blk_rig b;

	start(&b, false);
	*state = &b;
	return 0;
}

static int drop(void **state)
{
	struct blk_rig *b = *state;

	rig_free(&b->rig);
	return 0;
}

static void write_header(struct rig *rig, uint32_t type, uint64_t sector)
{
	memcpy(rig->ram.host + HEADER, &type, sizeof(type));
	memset(rig->ram.host + HEADER + 4, 0, 4);
	memcpy(rig->ram.host + HEADER + 8, &sector, sizeof(sector));
	rig->ram.host[STATUS_BYTE] = UNTOUCHED;
}

/* One request of three buffers, or two where there is no data; its status byte. */
static uint8_t request(struct rig *rig, uint32_t type, uint64_t sector, uint32_t bytes)
{
	uint16_t direction = type == OUT ? 0 : WRITE;

	write_header(rig, type, sector);
	describe(rig, 0, (struct rig_descriptor){HEADER, 16, NEXT, bytes ? 1 : 2});
	describe(rig, 1, (struct rig_descriptor){DATA, bytes, NEXT | direction, 2});
	describe(rig, 2, (struct rig_descriptor){STATUS_BYTE, 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	return rig->ram.host[STATUS_BYTE];
}

static void says_what_it_is(void **state)
{
	struct blk_rig *b = *state;

	assert_int_equal(get(&b->rig, DEVICE_ID), 2);
	assert_int_equal(get(&b->rig, CONFIG), SECTORS);
	assert_int_equal(get(&b->rig, CONFIG + 4), 0);
	assert_int_equal(get(&b->rig, CONFIG + 12), VIRTIO_QUEUE_MAX - 2); /* seg_max */
	assert_int_equal(get(&b->rig, CONFIG + 20), SECTOR);		   /* blk_size */
	assert_int_equal(get(&b->rig, CONFIG + 0x800), 0);
	assert_int_equal(get(&b->rig, DEVICE_FEATURES) & (F_RO | F_FLUSH), F_FLUSH);
	rig_free(&b->rig);
	start(b, true);
	assert_int_equal(get(&b->rig, DEVICE_FEATURES) & (F_RO | F_FLUSH), F_RO);
}

static void reads(void **state)
{
	struct blk_rig *b = *state;

	assert_int_equal(request(&b->rig, IN, 1, 2 * SECTOR), OK);
	assert_memory_equal(b->rig.ram.host + DATA, b->disk.bytes + SECTOR, 2 * SECTOR);
	assert_int_equal(used_length(&b->rig), 2 * SECTOR + 1);
	assert_int_equal(b->rig.interrupts, 1);
}

static void writes(void **state)
{
	struct blk_rig *b = *state;

	memset(b->rig.ram.host + DATA, 0x77, SECTOR);
	assert_int_equal(request(&b->rig, OUT, 3, SECTOR), OK);
	assert_memory_equal(b->disk.bytes + 3 * SECTOR, b->rig.ram.host + DATA, SECTOR);
	assert_int_equal(b->disk.bytes[3 * SECTOR - 1], (3 * SECTOR - 1) % 13 + 32);
	assert_int_equal(used_length(&b->rig), 1);
}

static void flushes_and_names(void **state)
{
	struct blk_rig *b = *state;

	assert_int_equal(request(&b->rig, FLUSH, 0, 0), OK);
	assert_int_equal(b->disk.flushes, 1);
	assert_int_equal(request(&b->rig, GET_ID, 0, VIRTIO_BLK_NAME), OK);
	assert_string_equal((char *)b->rig.ram.host + DATA, "a name");
	assert_int_equal(used_length(&b->rig), VIRTIO_BLK_NAME + 1);
	/* Of a larger buffer only the name is written; of a smaller one all. */
	memset(b->rig.ram.host + DATA, UNTOUCHED, 64);
	assert_int_equal(request(&b->rig, GET_ID, 0, 64), OK);
	assert_int_equal(b->rig.ram.host[DATA + VIRTIO_BLK_NAME], UNTOUCHED);
	assert_int_equal(used_length(&b->rig), VIRTIO_BLK_NAME);
	assert_int_equal(request(&b->rig, GET_ID, 0, 3), OK);
	assert_int_equal(used_length(&b->rig), 3 + 1);
}

static void refuses_what_is_not_on_the_disk(void **state)
{
	static const struct {
		uint64_t sector;
		uint32_t bytes;
	} rows[] = {
		{SECTORS, SECTOR},
		{SECTORS - 1, 2 * SECTOR},
		{UINT64_MAX, SECTOR},
		{UINT64_MAX / SECTOR, SECTOR},
		{UINT64_MAX / SECTOR + 1, SECTOR},
		{0, SECTOR - 1},
		{0, 1},
		{0, SECTORS * SECTOR + SECTOR},
	};
	struct blk_rig *b = *state;

	for (unsigned i = 0; i < ROWS(rows); i++) {
		uint8_t in = request(&b->rig, IN, rows[i].sector, rows[i].bytes);
		uint32_t length = used_length(&b->rig);
		uint8_t out = request(&b->rig, OUT, rows[i].sector, rows[i].bytes);

		if (in != IOERR || out != IOERR || length != 0)
			fail_msg("row %u: read %u, write %u, %u bytes", i, in, out, length);
	}
	assert_int_equal(b->disk.reads + b->disk.writes, 0);
	assert_int_equal(request(&b->rig, IN, 0, SECTORS * SECTOR), OK);
}

static void refuses_to_write_a_read_only_disk(void **state)
{
	struct blk_rig *b = *state;

	rig_free(&b->rig);
	start(b, true);
	assert_int_equal(request(&b->rig, OUT, 0, SECTOR), IOERR);
	assert_int_equal(b->disk.writes, 0);
	assert_int_equal(request(&b->rig, FLUSH, 0, 0), OK); /* there is nothing to flush */
	assert_int_equal(b->disk.flushes, 0);
	assert_int_equal(request(&b->rig, IN, 0, SECTOR), OK);
}

static void refuses_what_it_does_not_know(void **state)
{
	static const uint32_t types[] = {2, 3, 5, 11, 13, 0x80000000, UINT32_MAX};
	struct blk_rig *b = *state;

	for (unsigned i = 0; i < ROWS(types); i++)
		assert_int_equal(request(&b->rig, types[i], 0, SECTOR), UNSUPP);
	assert_int_equal(get(&b->rig, STATUS) & NEEDS_RESET, 0);
}

static void tells_the_hosts_errors(void **state)
{
	struct blk_rig *b = *state;

	b->disk.fails = true;
	assert_int_equal(request(&b->rig, IN, 0, SECTOR), IOERR);
	assert_int_equal(request(&b->rig, OUT, 0, SECTOR), IOERR);
	assert_int_equal(request(&b->rig, FLUSH, 0, 0), IOERR);
	assert_int_equal(get(&b->rig, STATUS) & NEEDS_RESET, 0);
}

/* The device may not assume how a request is split into buffers (§ 2.7.4.1). */
static void takes_any_framing(void **state)
{
	struct blk_rig *b = *state;
	struct rig *rig = &b->rig;

	/* Header in two parts; data in three, the last with the status byte. */
	write_header(rig, IN, 0);
	describe(rig, 0, (struct rig_descriptor){HEADER, 9, NEXT, 1});
	describe(rig, 1, (struct rig_descriptor){HEADER + 9, 7, NEXT, 2});
	describe(rig, 2, (struct rig_descriptor){DATA, 100, NEXT | WRITE, 3});
	describe(rig, 3, (struct rig_descriptor){DATA + 100, 1, NEXT | WRITE, 4});
	describe(rig, 4, (struct rig_descriptor){DATA + 101, SECTOR - 101 + 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	assert_memory_equal(rig->ram.host + DATA, b->disk.bytes, SECTOR);
	assert_int_equal(rig->ram.host[DATA + SECTOR], OK);
	assert_int_equal(used_length(rig), SECTOR + 1);

	/* A write whose data follows the header in the same buffer. */
	write_header(rig, OUT, 2);
	memset(rig->ram.host + HEADER + 16, 0x55, SECTOR);
	describe(rig, 0, (struct rig_descriptor){HEADER, 16 + SECTOR, NEXT, 1});
	describe(rig, 1, (struct rig_descriptor){STATUS_BYTE, 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	assert_int_equal(rig->ram.host[STATUS_BYTE], OK);
	assert_memory_equal(b->disk.bytes + 2 * SECTOR, rig->ram.host + HEADER + 16, SECTOR);
}

static void malformed_requests_need_a_reset(void **state)
{
	static const struct {
		const char *what;
		struct rig_descriptor d[2];
	} rows[] = {
		{"no status byte", {{HEADER, 16, 0, 0}}},
		{"no status byte, with data to read", {{HEADER, 16, NEXT, 1}, {DATA, 512, 0, 0}}},
		{"no header", {{STATUS_BYTE, 1, WRITE, 0}}},
		{"half a header", {{HEADER, 15, NEXT, 1}, {STATUS_BYTE, 1, WRITE, 0}}},
		{"a header to write", {{HEADER, 16, NEXT | WRITE, 1}, {STATUS_BYTE, 1, WRITE, 0}}},
	};
	struct blk_rig *b = *state;
	struct rig *rig = &b->rig;

	for (unsigned i = 0; i < ROWS(rows); i++) {
		bring_up(rig);
		write_header(rig, IN, 0);
		describe(rig, 0, rows[i].d[0]);
		describe(rig, 1, rows[i].d[1]);
		offer(rig, 0);
		serve(rig);
		if (get(rig, STATUS) != (0xf | NEEDS_RESET) || used_count(rig) ||
		    rig->ram.host[STATUS_BYTE] != UNTOUCHED)
			fail_msg("%s was served", rows[i].what);
	}
	assert_int_equal(b->disk.reads, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(says_what_it_is),
		TEST(reads),
		TEST(writes),
		TEST(flushes_and_names),
		TEST(refuses_what_is_not_on_the_disk),
		TEST(refuses_to_write_a_read_only_disk),
		TEST(refuses_what_it_does_not_know),
		TEST(tells_the_hosts_errors),
		TEST(takes_any_framing),
		TEST(malformed_requests_need_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
