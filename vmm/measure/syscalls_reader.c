/* Rings of raw_syscalls tracepoints, and the process that reads them: perf_event_open(2). */
#include "syscalls_reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "syscalls_pairs.h"

#define PAGE_BYTES 4096
#define RING_BYTES (UINT64_C(4) << 20) /* a power of 2: some 60,000 records */
#define POLL_MS	   20
#define CPUS_MAX   256

struct rings {
	unsigned cpus;		    /* that are online */
	uint64_t enter_id, exit_id; /* of the tracepoints */
	struct ring {
		int enter_fd, exit_fd; /* both write into one ring */
		void *ring;	       /* perf_event_mmap_page, then the data */
	} of_cpu[CPUS_MAX];
};

/* What both tracepoints' format files state; an entry has arguments for a result. */
struct raw_call {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int64_t number, result;
};

/* A record with PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, in the order of the manual.
 */
struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t raw_size;
	uint8_t raw[];
} __attribute__((packed));

struct lost {
	struct perf_event_header header;
	uint64_t id, count;
};

struct reader {
	struct syscall_table *table;
	uint16_t enter_id, exit_id;
	struct syscall_pairs pairs;
};

static int read_id(const char *name, uint64_t *id)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[128];

	for (unsigned i = 0; i < 2; i++) {
		FILE *file;
		int got;

		snprintf(path, sizeof(path), "%s/events/raw_syscalls/%s/id", places[i], name);
		file = fopen(path, "re");
		if (!file)
			continue;
		got = fscanf(file, "%lu", id);
		fclose(file);
		return got == 1 ? 0 : -1;
	}
	return -1;
}

static int open_event(uint64_t id, pid_t process, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.inherit = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct rings *rings, struct ring *ring, pid_t process, int cpu)
{
	ring->enter_fd = open_event(rings->enter_id, process, cpu);
	ring->exit_fd = open_event(rings->exit_id, process, cpu);
	if (ring->enter_fd < 0 || ring->exit_fd < 0)
		return -1;
	ring->ring = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->enter_fd, 0);
	if (ring->ring == MAP_FAILED)
		return -1;
	return ioctl(ring->exit_fd, PERF_EVENT_IOC_SET_OUTPUT, ring->enter_fd);
}

/* 0, or what cannot be done; errno says why. */
static const char *open_rings(struct rings *rings, pid_t process)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (read_id("sys_enter", &rings->enter_id) || read_id("sys_exit", &rings->exit_id))
		return "tracepoints raw_syscalls of tracefs";
	for (int cpu = 0; cpu < cpus && rings->cpus < CPUS_MAX; cpu++) {
		if (open_ring(rings, &rings->of_cpu[rings->cpus], process, cpu) == 0)
			rings->cpus++;
		else if (errno != ENODEV) /* that CPU is offline */
			return "perf_event_open";
	}
	return NULL;
}

/* ---- the reader's process ---- */

static void on_record(struct reader *reader, const struct perf_event_header *header)
{
	const struct sample *sample = (const void *)header;
	struct raw_call call;

	if (header->type == PERF_RECORD_LOST)
		reader->table->lost += ((const struct lost *)header)->count;
	if (header->type != PERF_RECORD_SAMPLE || sample->raw_size < sizeof(call))
		return;
	memcpy(&call, sample->raw, sizeof(call));
	if (call.type == reader->enter_id)
		syscall_entered(&reader->pairs, sample->tid, call.number, sample->time_ns);
	else if (call.type == reader->exit_id)
		syscall_returned(&reader->pairs, sample->tid, call.number, call.result,
				 sample->time_ns, reader->table);
}

/* What is in one ring, up to where it was when the drain began. */
struct cursor {
	struct perf_event_mmap_page *page;
	uint64_t tail, head;
	uint64_t time_ns; /* of the record at the tail; lost ones count as of time 0 */
};

static void copy_out(const struct cursor *cursor, void *to, unsigned bytes)
{
	const uint8_t *data = (const uint8_t *)cursor->page + PAGE_BYTES;

	for (unsigned i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = data[(cursor->tail + i) % RING_BYTES];
}

static void look(struct cursor *cursor)
{
	struct sample sample = {.time_ns = 0};

	if (cursor->tail >= cursor->head)
		return;
	copy_out(cursor, &sample, sizeof(sample));
	cursor->time_ns = sample.header.type == PERF_RECORD_SAMPLE ? sample.time_ns : 0;
}

/* Records may wrap at the ring's end: each is copied out first. */
static void take(struct reader *reader, struct cursor *cursor)
{
	_Alignas(8) uint8_t record[4096];
	struct perf_event_header header;

	copy_out(cursor, &header, sizeof(header));
	if (header.size < sizeof(header)) { /* a ring that makes no sense is over */
		cursor->tail = cursor->head;
		return;
	}
	if (header.size <= sizeof(record)) {
		copy_out(cursor, record, header.size);
		on_record(reader, (const struct perf_event_header *)record);
	}
	cursor->tail += header.size;
	look(cursor);
}

/* In the order of their times: a thread may enter a call on one CPU and return on another. */
static void drain(struct reader *reader, struct rings *rings)
{
	struct cursor cursors[CPUS_MAX], *first;

	for (unsigned i = 0; i < rings->cpus; i++) {
		cursors[i].page = rings->of_cpu[i].ring;
		cursors[i].head = __atomic_load_n(&cursors[i].page->data_head, __ATOMIC_ACQUIRE);
		cursors[i].tail = cursors[i].page->data_tail;
		look(&cursors[i]);
	}
	do {
		first = NULL;
		for (unsigned i = 0; i < rings->cpus; i++) {
			if (cursors[i].tail < cursors[i].head &&
			    (!first || cursors[i].time_ns < first->time_ns))
				first = &cursors[i];
		}
		if (first)
			take(reader, first);
	} while (first);
	for (unsigned i = 0; i < rings->cpus; i++)
		__atomic_store_n(&cursors[i].page->data_tail, cursors[i].tail, __ATOMIC_RELEASE);
}

static void read_until_stop(struct rings *rings, struct syscall_table *table)
{
	struct reader reader = {.table = table,
				.enter_id = (uint16_t)rings->enter_id,
				.exit_id = (uint16_t)rings->exit_id};
	struct pollfd sources[CPUS_MAX];
	bool last;

	for (unsigned i = 0; i < rings->cpus; i++)
		sources[i] = (struct pollfd){.fd = rings->of_cpu[i].enter_fd, .events = POLLIN};
	do {
		last = atomic_load(&table->stop);
		drain(&reader, rings);
		if (!last)
			poll(sources, rings->cpus, POLL_MS);
	} while (!last);
}

/* A terminal's signals are the run's to answer; the reader ends with it, however that ends. */
_Noreturn void syscalls_read(pid_t process, struct syscall_table *table)
{
	static struct rings rings;
	const char *what;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != process) /* it ended before this one asked */
		_exit(1);
	setpgid(0, 0);
	close_range(STDERR_FILENO + 1, ~0U, 0); /* the VM, too, which is to end with the run */
	what = open_rings(&rings, process);
	if (what) {
		syscalls_explain(table, "%s: %s", what, strerror(errno));
		_exit(1);
	}
	atomic_store(&table->ready, true);
	read_until_stop(&rings, table);
	atomic_store(&table->whole, true);
	_exit(0);
}
