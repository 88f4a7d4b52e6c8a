/*
 * A file as a disk, and the thread that serves it: what is refused, bytes that come and
 * go where they should, and a thread that ends when it is told to, at work or not.
 */
#include "virtio_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/block_worker.h"
#include "vmm/disk.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define SECTORS 64
#define SECTOR	VIRTIO_BLK_SECTOR

static char directory[] = "/tmp/tickvm-test.XXXXXX";
static char path[64];

/* A file of this many bytes, each of which says where it is. */
static void make_file(unsigned bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (unsigned i = 0; i < bytes; i++)
		fputc((int)(i / 251 + i), file);
	assert_int_equal(fclose(file), 0);
}

static uint8_t byte_at(unsigned i)
{
	return (uint8_t)(i / 251 + i);
}

static void refuses(const char *name, bool writable)
{
	struct disk disk;
	struct error e = {0};

	assert_int_equal(disk_open(&disk, name, writable, &e), -1);
	assert_int_equal(e.exit_code, 2);
	assert_memory_equal(e.text, "--disk: ", 8);
	assert_int_equal(disk.fd, -1);
}

static void refuses_what_is_no_disk(void **state)
{
	static const unsigned sizes[] = {0, 1, SECTOR - 1, SECTOR + 1, 10 * SECTOR + 256};

	refuses("/nonexistent", false);
	refuses(directory, false);
	refuses("/dev/zero", false);
	for (unsigned i = 0; i < ROWS(sizes); i++) {
		make_file(sizes[i]);
		refuses(path, false);
	}
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	refuses(path, false);
	unlink(path);
}

static void reads_and_writes_where_it_should(void **state)
{
	uint8_t first[300], second[SECTOR - 300];
	const struct virtio_buffer parts[] = {{first, sizeof(first)}, {second, sizeof(second)}};
	struct disk disk;
	struct error e;

	make_file(SECTORS * SECTOR);
	assert_int_equal(disk_open(&disk, path, true, &e), 0);
	assert_int_equal(disk.backing.sectors, SECTORS);
	assert_false(disk.backing.read_only);
	assert_int_equal(disk.backing.read(&disk, 5 * SECTOR, parts, 2), 0);
	assert_int_equal(first[0], byte_at(5 * SECTOR));
	assert_int_equal(first[299], byte_at(5 * SECTOR + 299));
	assert_int_equal(second[0], byte_at(5 * SECTOR + 300));
	memset(first, 1, sizeof(first));
	memset(second, 2, sizeof(second));
	assert_int_equal(disk.backing.write(&disk, 7 * SECTOR, parts, 2), 0);
	assert_int_equal(disk.backing.flush(&disk), 0);
	memset(first, 0, sizeof(first));
	assert_int_equal(disk.backing.read(&disk, 7 * SECTOR, parts, 2), 0);
	assert_int_equal(first[299], 1);
	assert_int_equal(second[0], 2);
	/* The file was cut behind our back. */
	assert_int_equal(truncate(path, 7 * SECTOR + 100), 0);
	assert_int_equal(disk.backing.read(&disk, 7 * SECTOR, parts, 2), -1);
	disk_close(&disk);
}

static void a_read_only_file_is_never_written(void **state)
{
	const struct virtio_buffer part = {(uint8_t[SECTOR]){0}, SECTOR};
	struct disk disk;
	struct error e;

	make_file(SECTORS * SECTOR);
	assert_int_equal(disk_open(&disk, path, false, &e), 0);
	assert_true(disk.backing.read_only);
	assert_int_equal(disk.backing.write(&disk, 0, &part, 1), -1);
	disk_close(&disk);
}

/* ---- the thread ---- */

struct served {
	struct rig rig;
	struct disk disk;
	struct virtio_blk blk;
	struct block_worker worker;
};

static void set_up(struct served *s)
{
	struct error e;

	make_file(SECTORS * SECTOR);
	memset(s, 0, sizeof(*s));
	assert_int_equal(disk_open(&s->disk, path, false, &e), 0);
	virtio_blk_init(&s->blk, &s->disk.backing);
	rig_init(&s->rig, &s->blk.device);
	bring_up(&s->rig);
	assert_int_equal(block_worker_init(&s->worker, &s->rig.mmio, &e), 0);
	assert_int_equal(block_worker_start(&s->worker, -1, &e), 0);
}

static void tear_down(struct served *s)
{
	block_worker_stop(&s->worker);
	block_worker_free(&s->worker);
	disk_close(&s->disk);
	rig_free(&s->rig);
}

/* A read of one sector in one buffer each way: header, then data with the status byte. */
static void describe_read(struct rig *rig, uint64_t sector)
{
	memset(rig->ram.host + RIG_DATA, 0, 16);
	memcpy(rig->ram.host + RIG_DATA + 8, &sector, sizeof(sector));
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 16, NEXT, 1});
	describe(rig, 1, (struct rig_descriptor){RIG_DATA + 16, SECTOR + 1, WRITE, 0});
}

/* The used ring's index, as the driver reads it while the thread may write it. */
static uint16_t used_now(const struct rig *rig)
{
	return __atomic_load_n((const uint16_t *)(rig->ram.host + RIG_USED + 2), __ATOMIC_ACQUIRE);
}

static void serves_when_notified(void **state)
{
	static struct served s;

	set_up(&s);
	for (unsigned i = 0; i < SECTORS; i++) {
		describe_read(&s.rig, i);
		offer(&s.rig, 0);
		block_worker_notify(&s.worker);
		while (used_now(&s.rig) != s.rig.offered)
			usleep(100);
		assert_int_equal(s.rig.ram.host[RIG_DATA + 16], byte_at(i * SECTOR));
		assert_int_equal(s.rig.ram.host[RIG_DATA + 16 + SECTOR], 0);
	}
	tear_down(&s);
	assert_int_equal(s.rig.interrupts, SECTORS);
}

/* As a driver notifies: not while the device says that it need not. */
static void notify_if_wanted(struct served *s)
{
	const uint16_t *flags = (const uint16_t *)(s->rig.ram.host + RIG_USED);

	if (!(__atomic_load_n(flags, __ATOMIC_SEQ_CST) & 1))
		block_worker_notify(&s->worker);
}

/*
 * Requests come at every point of the thread's way from one to the next and to its sleep:
 * none may be left lying.
 */
static void loses_no_request_on_its_way_to_sleep(void **state)
{
	static struct served s;
	unsigned random = 1;

	set_up(&s);
	describe_read(&s.rig, 0);
	for (unsigned i = 0; i < 4000; i++) {
		unsigned patience = 1000000000; /* looks: seconds */

		for (unsigned j = 0; j < RIG_SIZE; j++) {
			random = random * 1664525 + 1013904223;
			for (volatile unsigned delay = random >> 20; delay; delay--)
				;
			offer(&s.rig, 0);
			notify_if_wanted(&s);
		}
		while (used_now(&s.rig) != s.rig.offered && --patience)
			;
		if (!patience)
			fail_msg("of round %u a request was not served", i);
	}
	tear_down(&s);
}

static void ends_idle_and_at_work(void **state)
{
	static struct served s;
	struct error e;

	set_up(&s);
	tear_down(&s); /* idle, maybe not even begun */
	set_up(&s);
	describe_read(&s.rig, 0);
	for (unsigned i = 0; i < RIG_SIZE; i++)
		offer(&s.rig, 0);
	block_worker_notify(&s.worker);
	tear_down(&s);
	set_up(&s);
	block_worker_stop(&s.worker);
	block_worker_stop(&s.worker); /* again: nothing */
	assert_int_equal(block_worker_cpu_ns(&s.worker), 0);
	assert_int_equal(block_worker_start(&s.worker, 1023, &e), -1);
	assert_int_equal(e.exit_code, 77);
	assert_memory_equal(e.text, "--pin-io: ", 10);
	tear_down(&s);
}

static int make_directory(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/disk", directory);
	return 0;
}

static int remove_directory(void **state)
{
	unlink(path);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_no_disk),
		cmocka_unit_test(reads_and_writes_where_it_should),
		cmocka_unit_test(a_read_only_file_is_never_written),
		cmocka_unit_test(serves_when_notified),
		cmocka_unit_test(loses_no_request_on_its_way_to_sleep),
		cmocka_unit_test(ends_idle_and_at_work),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
