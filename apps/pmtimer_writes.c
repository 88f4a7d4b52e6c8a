/*
 * pmtimer, test writes (BC-29): accesses that no driver makes, of all sizes and at all
 * offsets, to the PM timer and the PM1 blocks. The counter is read between them: it goes
 * on as if nothing had happened, and the machine lives.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>

#include "drivers/acpi.h"
#include "drivers/pm1.h"
#include "drivers/pmtimer.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "pmtimer_timeline.h"

#define ERROR_MILLITICKS 2000
#define TIMER_PORTS	 4
#define EVENT_PORTS	 4
#define CONTROL_PORTS	 2
#define SWEEP_ACCESSES	 256 /* more than the sweep makes */
#define RANDOM_A_READING 16

/* Of PM1_CNT: GBL_RLS calls firmware, SLP_EN may switch the machine off (§ 4.8.3.2.1). */
#define CONTROL_FORBIDDEN (1u << 2 | 1u << 13)

static const uint32_t values[] = {0, 1, 0x7f, 0x80, 0xff, UINT32_MAX};
#define VALUE_COUNT (sizeof(values) / sizeof(*values))

struct block {
	uint16_t port, length;
	uint32_t forbidden; /* bits that are never written as 1 */
};
#define BLOCKS 3

static unsigned find_blocks(struct block blocks[BLOCKS])
{
	const struct acpi_info *info = acpi_info();
	unsigned count = 0;

	blocks[count++] = (struct block){pmtimer_port(), TIMER_PORTS, 0};
	if (info->pm1a_event_port)
		blocks[count++] = (struct block){info->pm1a_event_port, EVENT_PORTS, 0};
	if (info->pm1a_control_port)
		blocks[count++] = (struct block){info->pm1a_control_port, CONTROL_PORTS,
						 CONTROL_FORBIDDEN};
	return count;
}

static void write_and_read(const struct block *block, unsigned offset, unsigned size,
			   uint32_t value)
{
	uint16_t port = (uint16_t)(block->port + offset);

	value &= ~(block->forbidden >> 8 * offset);
	switch (size) {
	case 1:
		out8(port, (uint8_t)value);
		in8(port);
		break;
	case 2:
		out16(port, (uint16_t)value);
		in16(port);
		break;
	default:
		out32(port, value);
		in32(port);
		break;
	}
}

static uint64_t accesses;

/* Every size at every offset that it fits at, with every value. */
static void sweep(const struct block *block, struct timeline *timeline)
{
	for (unsigned size = 1; size <= 4; size *= 2) {
		for (unsigned offset = 0; offset + size <= block->length; offset++) {
			for (unsigned i = 0; i < VALUE_COUNT; i++) {
				write_and_read(block, offset, size, values[i]);
				accesses++;
			}
			timeline_read(timeline, pmtimer_ticks);
		}
	}
}

/* Xorshift (Marsaglia 2003), never 0. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void write_at_random(const struct block blocks[], unsigned count, uint32_t *state)
{
	const struct block *block = &blocks[next_random(state) % count];
	unsigned size = 1u << next_random(state) % 3;

	if (size > block->length)
		size = block->length;
	write_and_read(block, next_random(state) % (block->length - size + 1), size,
		       next_random(state));
	accesses++;
}

/* A string instruction, as KVM hands it over in one piece or in several. */
static void write_string(void)
{
	out8_string(pmtimer_port(), values, sizeof(values));
	accesses++;
}

static void write_all(const struct pmtimer_keys *keys, struct timeline *timeline)
{
	struct block blocks[BLOCKS];
	unsigned count = find_blocks(blocks);
	uint32_t state = (uint32_t)keys->seed;

	timeline_read(timeline, pmtimer_ticks);
	for (unsigned i = 0; i < count; i++)
		sweep(&blocks[i], timeline);
	write_string();
	for (uint64_t i = 0; i < keys->n; i++) {
		write_at_random(blocks, count, &state);
		if (i % RANDOM_A_READING == 0)
			timeline_read(timeline, pmtimer_ticks);
	}
	timeline_read(timeline, pmtimer_ticks);
}

static void judge(const struct pmtimer_keys *keys, const struct timeline *timeline)
{
	const char *name = "writes: the counter does not move";
	uint64_t error = timeline_error_milliticks(timeline);

	if (!timeline->reference.is_host) {
		ktap_skip(name, "no host's clock: no pair contract");
		return;
	}
	ktap_note("writes: %" PRIu64 " accesses, seed %" PRIu64
		  ", %u brackets: error: measured %" PRIu64 ".%03" PRIu64 " ticks, bound %u",
		  accesses, keys->seed, timeline->count, error / 1000, error % 1000,
		  ERROR_MILLITICKS / 1000);
	ktap_result(error <= ERROR_MILLITICKS, "%s", name);
}

void pmtimer_writes(const struct pmtimer_keys *keys)
{
	uint16_t control_port = acpi_info()->pm1a_control_port;
	uint16_t control = control_port ? in16(control_port) : 0, enabled = pm1_enabled();
	struct timeline timeline;

	timeline_init(&timeline, (unsigned)(keys->n / RANDOM_A_READING) + SWEEP_ACCESSES);
	write_all(keys, &timeline);
	if (control_port)
		out16(control_port, control);
	pm1_enable(enabled);
	pm1_clear(UINT16_MAX);
	judge(keys, &timeline);
	timeline_send(&timeline, "pmtimer.writes");
	timeline_free(&timeline);
}
