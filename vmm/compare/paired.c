/* See paired.h. */
#include "paired.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 1000
#define EXACT_MAX 50 /* pairs up to which the test's distribution is counted out */

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static int compare_magnitudes(const void *left, const void *right)
{
	double a = fabs(*(const double *)left), b = fabs(*(const double *)right);

	return (a > b) - (a < b);
}

/* Mean of the inner half: as deaf to outliers as noise here wants, and less coarse than a median.
 * Sorts them. */
static double midmean(double *values, unsigned n)
{
	unsigned cut = n / 4;
	double sum = 0;

	qsort(values, n, sizeof(*values), compare_doubles);
	for (unsigned i = cut; i < n - cut; i++)
		sum += values[i];
	return sum / (n - 2 * cut);
}

/* Sum of the ranks of the positive values; ties share the mean of theirs. Zeros are dropped. */
static double rank_sum(const double *values, unsigned n, unsigned *used)
{
	double sorted[PAIRED_MAX], sum = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		if (values[i] != 0)
			sorted[count++] = values[i];
	qsort(sorted, count, sizeof(*sorted), compare_magnitudes);
	for (unsigned i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && fabs(sorted[next]) == fabs(sorted[i]); next++)
			;
		for (unsigned k = i; k < next; k++)
			if (sorted[k] > 0)
				sum += (i + 1 + next) / 2.0;
	}
	*used = count;
	return sum;
}

/* P(sum <= at most) when each of n ranks counts with probability a half. */
static double exact_tail(unsigned n, double at_most)
{
	static const unsigned sums = EXACT_MAX * (EXACT_MAX + 1) / 2 + 1;
	double ways[EXACT_MAX * (EXACT_MAX + 1) / 2 + 1] = {1}, tail = 0;

	for (unsigned rank = 1; rank <= n; rank++)
		for (unsigned sum = sums - 1; sum >= rank; sum--)
			ways[sum] += ways[sum - rank];
	for (unsigned sum = 0; sum < sums && sum <= at_most; sum++)
		tail += ways[sum];
	return ldexp(tail, -(int)n);
}

static double normal_tail(unsigned n, double at_most)
{
	double mean = n * (n + 1) / 4.0, variance = n * (n + 1) * (2.0 * n + 1) / 24;

	return erfc((mean - at_most - 0.5) / sqrt(2 * variance)) / 2;
}

static double signed_rank_p(const double *values, unsigned n)
{
	unsigned used;
	double sum = rank_sum(values, n, &used), other, p;

	if (!used)
		return 1;
	other = used * (used + 1) / 2.0 - sum;
	sum = sum < other ? sum : other;
	p = 2 * (used <= EXACT_MAX ? exact_tail(used, sum) : normal_tail(used, sum));
	return p < 1 ? p : 1;
}

/* xorshift64*: any generator does, so long as it is the same on every machine. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (unsigned)((*state * UINT64_C(2685821657736338717) >> 32) * below >> 32);
}

static void bootstrap(const double *values, unsigned n, double level, struct paired *paired)
{
	double resample[PAIRED_MAX], centers[RESAMPLES];
	unsigned cut = (unsigned)((1 - level) / 2 * RESAMPLES);
	uint64_t state = UINT64_C(88172645463325252);

	for (unsigned i = 0; i < RESAMPLES; i++) {
		for (unsigned k = 0; k < n; k++)
			resample[k] = values[draw(&state, n)];
		centers[i] = midmean(resample, n);
	}
	qsort(centers, RESAMPLES, sizeof(*centers), compare_doubles);
	paired->low = exp(centers[cut]);
	paired->high = exp(centers[RESAMPLES - 1 - cut]);
}

struct paired paired_compare(const double *a, const double *b, unsigned n, double level)
{
	struct paired paired = {.n = n};
	double logs[PAIRED_MAX];

	for (unsigned i = 0; i < n; i++)
		logs[i] = log(b[i] / a[i]);
	paired.p = signed_rank_p(logs, n);
	bootstrap(logs, n, level, &paired);
	paired.ratio = exp(midmean(logs, n));
	return paired;
}
