/*
 * Statistics of samples: exact order statistics on the raw values, and the
 * buckets of the histogram that a result carries in place of them.
 */
#ifndef TICKVM_REPORT_STATISTICS_H
#define TICKVM_REPORT_STATISTICS_H

#include <stdint.h>

void sort_values(uint64_t *values, uint64_t count);

/*
 * Nearest rank: the smallest value such that at least `percent` of all values are
 * not above it, element ceil(percent / 100 * count) counted from 1. Always one of
 * the values, never interpolated. count > 0, percent 1 to 100.
 */
uint64_t percentile(const uint64_t *sorted, uint64_t count, unsigned percent);

double mean(const uint64_t *values, uint64_t count);

/*
 * Log2-linear buckets: 8 of equal width in each octave [2^k, 2^(k+1)), width 1
 * below 16, so that a bucket is never wider than an eighth of its values.
 */
struct bucket {
	uint64_t from, to; /* both inclusive */
};
struct bucket bucket_of(uint64_t value);

#endif
