/*
 * Statistics of paired measurements: how many times as much is B as A?
 *
 * All is done on the logarithm of each pair's ratio, so that A against B and B against A
 * say the same. Nothing is assumed of the noise but that it meets both of a pair alike.
 */
#ifndef TICKVM_COMPARE_PAIRED_H
#define TICKVM_COMPARE_PAIRED_H

#define PAIRED_MAX 512

struct paired {
	unsigned n;
	double ratio;	  /* B over A: midmean of the pairs, the mean of their inner half */
	double low, high; /* its bootstrap interval (percentiles), at the level asked for */
	double p;	  /* Wilcoxon's signed-rank test, two-sided: of a ratio of 1 */
};

/*
 * `a` and `b`: n values each, all > 0, 1 <= n <= PAIRED_MAX. The level, 0.99 say, is that
 * of the interval. The same values give the same answer: the bootstrap's seed is fixed.
 */
struct paired paired_compare(const double *a, const double *b, unsigned n, double level);

#endif
