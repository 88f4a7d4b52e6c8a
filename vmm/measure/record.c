/* The record of one run: life cycle, exit counters, phases and checks. See record.h. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

/*
 * All counters of an exit_counts as one array: each is a uint64_t, so that adding
 * and subtracting need not name the fields.
 */
#define EXIT_COUNTERS (sizeof(struct exit_counts) / sizeof(uint64_t))
_Static_assert(sizeof(struct exit_counts) ==
		       sizeof(uint64_t) * (RECORD_EXIT_REASONS + 4 * RECORD_REGIONS),
	       "exit_counts is uint64_t counters only");

void exit_counts_add(struct exit_counts *sum, const struct exit_counts *more)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)more;

	for (unsigned i = 0; i < EXIT_COUNTERS; i++)
		to[i] += from[i];
}

void exit_counts_subtract(struct exit_counts *from, const struct exit_counts *less)
{
	uint64_t *to = (uint64_t *)from;
	const uint64_t *by = (const uint64_t *)less;

	for (unsigned i = 0; i < EXIT_COUNTERS; i++)
		to[i] -= by[i];
}

/* By reason only: the port and MMIO counters count the same exits once more. */
uint64_t exit_counts_total(const struct exit_counts *counts)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < RECORD_EXIT_REASONS; i++)
		total += counts->reason[i];
	return total;
}

void record_init(struct record *record)
{
	memset(record, 0, sizeof(*record));
	record->guest_code = -1;
	pthread_mutex_init(&record->lock, NULL);
}

void record_free(struct record *record)
{
	syscalls_free(&record->syscalls);
	for (unsigned i = 0; i < record->metric_count; i++)
		free(record->metrics[i].values);
	free(record->metrics);
	free(record->phases);
	free(record->checks);
	free(record->vm_stats.stats);
	free(record->vcpu_stats.stats);
	pthread_mutex_destroy(&record->lock);
}

/* Room for one more element behind `count`; NULL: no memory, the array is as it was. */
static void *grow(void **array, unsigned count, size_t size)
{
	char *larger = realloc(*array, (count + 1) * size);

	if (!larger)
		return NULL;
	*array = larger;
	return larger + count * size;
}

void record_phase(struct record *record, const struct phase *phase)
{
	struct phase *slot = NULL;

	pthread_mutex_lock(&record->lock);
	if (record->phase_count < RECORD_PHASES_MAX)
		slot = grow((void **)&record->phases, record->phase_count, sizeof(*slot));
	if (slot) {
		*slot = *phase;
		record->phase_count++;
	} else {
		record->phases_lost++;
	}
	pthread_mutex_unlock(&record->lock);
}

void record_check(struct record *record, const struct check *check)
{
	struct check *slot = NULL;

	pthread_mutex_lock(&record->lock);
	if (record->check_count < RECORD_CHECKS_MAX)
		slot = grow((void **)&record->checks, record->check_count, sizeof(*slot));
	if (slot) {
		*slot = *check;
		record->check_count++;
	} else {
		record->checks_lost++;
	}
	pthread_mutex_unlock(&record->lock);
}
