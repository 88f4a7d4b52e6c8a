/*
 * iotick: block I/O while the ACPI PM timer is read at a chosen rate, as Windows does
 * during I/O: some 15,000 times a second.
 *
 * The reads are due by the TSC, which costs no exit, and are made whenever this CPU is
 * awake: it halts until a request is done (completion=interrupt), makes those that came
 * due meanwhile, and goes on. So the work of a run is n requests and rate · time reads,
 * and its cost is the CPU time that the phase `iotick` has in the result, of vCPUs and
 * of the disk's thread. A machine that cannot keep up makes fewer reads: what is too late
 * is left out, and the rate that was reached is reported.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "drivers/pmtimer.h"
#include "drivers/tsc.h"
#include "drivers/virtio_blk.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/memory.h"
#include "kernel/pair.h"

#define SAMPLES_MAX  65536 /* of the latency; further requests are counted only */
#define BACKLOG_MS   10	   /* of timer reads; older ones are left out */
#define SIZE_MAX_KIB 64
#define SECONDS_MAX  3600
#define REQUESTS_MAX 100000000
#define RATE_MAX     10000000
#define REQUESTS_DUE 1000 /* without n= and seconds= */
#define RANDOM_SEED  0x2545f4914f6cdd1d

const struct app_key iotick_keys[] = {
	{"n", "requests, 1 to 100000000 (1000, or as many as fit in seconds=)"},
	{"seconds", "how long at most, 1 to 3600 (no limit)"},
	{"size", "bytes of a request, 512 to 65536, whole sectors (4096)"},
	{"depth", "requests at once, 1 to 16 (1)"},
	{"order", "seq or random (seq)"},
	{"rate", "PM timer reads a second, 0 to 10000000 (15000)"},
	{"completion", "interrupt (this CPU halts meanwhile) or poll (interrupt)"},
	{"sum", "1: print a checksum of all that was read (0)"},
	{NULL, NULL},
};

struct plan {
	uint64_t requests, end_tsc;
	unsigned sectors_each, depth;
	uint32_t rate;
	bool random, sum;
};

/* What is due when, by the TSC; an exact rate: the remainder is carried on. */
static struct {
	uint64_t next_tsc, period, remainder, carry;
	uint64_t backlog; /* TSC ticks */
	uint64_t done, late;
} ticker;

/* The requests under way: a ring, oldest first, as they are waited for. */
static struct {
	struct {
		int tag;
		uint8_t *buffer;
		uint64_t start_tsc;
	} slots[VIRTIO_BLK_BATCH_MAX];
	uint64_t started, finished;
	uint64_t next_sector, random;
} io;

static uint64_t *latencies;
static uint32_t sum;

/* ---- options ---- */

static bool choice(const char *key, const char *usual, const char *other)
{
	const char *value = app_option(key);

	if (!value || strcmp(value, usual) == 0)
		return false;
	if (strcmp(value, other) != 0)
		app_exit(TK_EXIT_USAGE, "%s=%s: %s or %s", key, value, usual, other);
	return true;
}

static struct plan read_plan(void)
{
	unsigned size = app_number("size", 4096, VIRTIO_BLK_SECTOR, SIZE_MAX_KIB << 10);
	uint64_t seconds = app_number("seconds", 0, 1, SECONDS_MAX);
	uint64_t most = seconds ? REQUESTS_MAX : REQUESTS_DUE;
	struct plan plan = {
		.requests = app_number("n", most, 1, REQUESTS_MAX),
		.end_tsc = seconds ? seconds * tsc_hz() : UINT64_MAX,
		.sectors_each = size / VIRTIO_BLK_SECTOR,
		.depth = app_number("depth", 1, 1, VIRTIO_BLK_BATCH_MAX),
		.rate = app_number("rate", 15000, 0, RATE_MAX),
		.random = choice("order", "seq", "random"),
		.sum = app_number("sum", 0, 0, 1),
	};

	if (size % VIRTIO_BLK_SECTOR)
		app_exit(TK_EXIT_USAGE, "size=%u: whole sectors of %d bytes", size,
			 VIRTIO_BLK_SECTOR);
	if (!virtio_blk_present())
		app_exit(TK_EXIT_SKIPPED, "iotick: no virtio-mmio block device (--disk FILE)");
	if (virtio_blk_sectors() < plan.sectors_each)
		app_exit(TK_EXIT_SKIPPED, "iotick: the disk has %" PRIu64 " sectors, a request %u",
			 virtio_blk_sectors(), plan.sectors_each);
	if (plan.rate && !pmtimer_present())
		app_exit(TK_EXIT_SKIPPED, "iotick: no ACPI PM timer (rate=0 does without)");
	if (!tsc_hz())
		app_exit(TK_EXIT_SKIPPED, "iotick: nothing tells the TSC's frequency");
	return plan;
}

static void *pages(uint64_t bytes)
{
	void *memory = page_alloc_dirty((bytes + PAGE_SIZE - 1) / PAGE_SIZE);

	if (!memory)
		app_exit(TK_EXIT_SKIPPED, "iotick: not enough memory");
	return memory;
}

static void allocate(const struct plan *plan)
{
	uint64_t samples = plan->requests < SAMPLES_MAX ? plan->requests : SAMPLES_MAX;

	latencies = pages(samples * sizeof(*latencies));
	for (unsigned i = 0; i < plan->depth; i++)
		io.slots[i].buffer = pages((uint64_t)plan->sectors_each * VIRTIO_BLK_SECTOR);
}

/* ---- the PM timer ---- */

static void start_ticker(const struct plan *plan)
{
	ticker.next_tsc = rdtsc();
	ticker.backlog = tsc_hz() * BACKLOG_MS / 1000;
	if (!plan->rate) {
		ticker.next_tsc = UINT64_MAX;
		return;
	}
	ticker.period = tsc_hz() / plan->rate;
	ticker.remainder = tsc_hz() % plan->rate;
}

static void advance(const struct plan *plan)
{
	ticker.next_tsc += ticker.period;
	ticker.carry += ticker.remainder;
	if (ticker.carry >= plan->rate) {
		ticker.carry -= plan->rate;
		ticker.next_tsc++;
	}
}

/* Reads that are late by more than the backlog are not made. */
static void leave_out(uint64_t now)
{
	uint64_t count;

	if (now < ticker.next_tsc || now - ticker.next_tsc <= ticker.backlog)
		return;
	count = (now - ticker.next_tsc - ticker.backlog) / ticker.period;
	ticker.next_tsc += count * ticker.period;
	ticker.late += count;
}

/*
 * Reads the timer as often as is due by now; what comes due meanwhile is the next
 * call's, so that the disk gets its turn however slow a read is.
 */
static void read_timer(const struct plan *plan)
{
	uint64_t now = rdtsc();

	leave_out(now);
	while (ticker.next_tsc <= now) {
		pmtimer_ticks();
		ticker.done++;
		advance(plan);
	}
}

/* ---- the disk ---- */

/* Requests one behind the other from sector 0 on, or anywhere; xorshift64 (Marsaglia 2003). */
static uint64_t choose_sector(const struct plan *plan)
{
	uint64_t places = virtio_blk_sectors() / plan->sectors_each, sector = io.next_sector;

	if (!plan->random) {
		io.next_sector = (sector + plan->sectors_each) % (places * plan->sectors_each);
		return sector;
	}
	io.random ^= io.random << 13;
	io.random ^= io.random >> 7;
	io.random ^= io.random << 17;
	return io.random % places * plan->sectors_each;
}

static void start_requests(const struct plan *plan)
{
	bool any = false;

	while (io.started < plan->requests && io.started - io.finished < plan->depth &&
	       rdtsc() < plan->end_tsc) {
		unsigned slot = io.started % plan->depth;

		io.slots[slot].start_tsc = rdtsc();
		io.slots[slot].tag = virtio_blk_start(choose_sector(plan), io.slots[slot].buffer,
						      plan->sectors_each);
		if (io.slots[slot].tag < 0)
			break;
		io.started++;
		any = true;
	}
	if (any)
		virtio_blk_kick();
}

/* FNV-1a over words of 32 bits. */
static void add_to_sum(const void *data, unsigned bytes)
{
	const uint32_t *words = data;

	for (unsigned i = 0; i < bytes / sizeof(*words); i++)
		sum = (sum ^ words[i]) * 16777619u;
}

/* Takes those that are done, in their order. false: one failed. */
static bool finish_requests(const struct plan *plan)
{
	while (io.finished < io.started) {
		unsigned slot = io.finished % plan->depth;
		enum virtio_blk_result result = virtio_blk_poll(io.slots[slot].tag);

		if (result == VIRTIO_BLK_PENDING)
			return true;
		if (result == VIRTIO_BLK_FAILED)
			return false;
		if (io.finished < SAMPLES_MAX)
			latencies[io.finished] = rdtsc() - io.slots[slot].start_tsc;
		if (plan->sum)
			add_to_sum(io.slots[slot].buffer, plan->sectors_each * VIRTIO_BLK_SECTOR);
		io.finished++;
	}
	return true;
}

/* false: a request failed. Interrupts are off but while this CPU dozes. */
static bool run(const struct plan *plan)
{
	bool irqs_on = irq_save(), good = true;
	uint64_t finished;

	start_ticker(plan);
	for (;;) {
		start_requests(plan);
		if (io.finished == io.started)
			break;
		read_timer(plan);
		finished = io.finished;
		good = finish_requests(plan);
		if (!good)
			break;
		if (io.finished == finished) /* nor can one be started then */
			virtio_blk_doze();
	}
	irq_restore(irqs_on);
	return good;
}

/* ---- what came of it ---- */

static void report(const struct plan *plan, uint64_t ticks)
{
	uint64_t hz = tsc_hz(), samples = io.finished < SAMPLES_MAX ? io.finished : SAMPLES_MAX;
	uint64_t reads_per_s = (unsigned __int128)ticker.done * hz / ticks;
	uint64_t io_per_s = (unsigned __int128)io.finished * hz / ticks;

	pair_samples("iotick.latency", "tsc", latencies, samples, sizeof(*latencies));
	pair_samples("iotick.requests-per-s", "1/s", &io_per_s, 1, sizeof(io_per_s));
	pair_samples("iotick.timer-reads-per-s", "1/s", &reads_per_s, 1, sizeof(reads_per_s));
	pair_samples("iotick.timer-reads", "count", &ticker.done, 1, sizeof(ticker.done));
	pair_samples("iotick.timer-reads-late", "count", &ticker.late, 1, sizeof(ticker.late));
	ktap_note("iotick: %" PRIu64 " requests of %u bytes, %" PRIu64 " a second", io.finished,
		  plan->sectors_each * VIRTIO_BLK_SECTOR, io_per_s);
	ktap_note("iotick: %" PRIu64 " PM timer reads, %" PRIu64 " a second of %u; %" PRIu64
		  " left out as too late",
		  ticker.done, reads_per_s, (unsigned)plan->rate, ticker.late);
	if (plan->sum)
		ktap_note("iotick: sum %08x", (unsigned)sum);
}

int iotick_main(void)
{
	struct plan plan = read_plan();
	bool polled = choice("completion", "interrupt", "poll");
	uint64_t start;
	bool good;

	allocate(&plan);
	io.random = RANDOM_SEED;
	sum = 2166136261u;
	if (!virtio_blk_use_interrupts(!polled) && !polled)
		ktap_note("iotick: the disk cannot interrupt here, it is polled");
	ktap_begin(1);
	pair_phase_begin("iotick");
	start = rdtsc_ordered();
	if (plan.end_tsc != UINT64_MAX)
		plan.end_tsc += start;
	good = run(&plan);
	start = rdtsc_ordered() - start;
	pair_phase_end("iotick", io.finished);
	report(&plan, start);
	ktap_result(good, "every request is done without an error");
	return ktap_end();
}
