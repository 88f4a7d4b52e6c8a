/* Statistics of pairs: known answers, and what they say of noise that is only noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "vmm/compare/paired.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void the_rank_test_counts_exactly(void **state)
{
	/* Ratios 2^1 .. 2^6: all ranks positive, one of 2^6 ways and its mirror. */
	const double a[] = {1, 1, 1, 1, 1, 1, 1, 1}, b[] = {2, 4, 8, 16, 32, 64};
	/* Differences 1 2 3 -4 5 6 7 8: lower sum 4, of 2^8 ways 1+1+1+2+2 = 7 are not above. */
	const double c[] = {2, 4, 8, 0.0625, 32, 64, 128, 256};

	NEAR(paired_compare(a, b, 6, 0.99).p, 2.0 / 64);
	NEAR(paired_compare(a, c, 8, 0.99).p, 2 * 7.0 / 256);
	NEAR(paired_compare(a, a, 8, 0.99).p, 1);
}

static void ties_share_their_ranks(void **state)
{
	const double a[] = {1, 1, 1, 1}, b[] = {2, 2, 2, 0.5};

	/* Ranks 2.5 each: lower sum 2.5; 1, {1}, {2} are not above it: 3 of 16. */
	NEAR(paired_compare(a, b, 4, 0.9).p, 2 * 3.0 / 16);
}

static void swapping_turns_the_answer_round(void **state)
{
	const double a[] = {10, 11, 10.5, 9.8, 10.2, 10.1}, b[] = {12, 12.5, 12, 11.9, 12.6, 11.8};
	struct paired there = paired_compare(a, b, 6, 0.99), back = paired_compare(b, a, 6, 0.99);

	NEAR(there.ratio * back.ratio, 1);
	NEAR(there.p, back.p);
	assert_true(there.low <= there.ratio && there.ratio <= there.high);
	assert_true(there.low > 1 && back.high < 1);
}

static void one_outlier_is_not_a_difference(void **state)
{
	double a[12], b[12];
	struct paired paired;

	for (unsigned i = 0; i < 12; i++) {
		a[i] = 100 + i % 3;
		b[i] = 100 + (i + 1) % 3;
	}
	b[5] = 1000;
	paired = paired_compare(a, b, 12, 0.99);
	assert_true(paired.ratio > 0.99 && paired.ratio < 1.01);
	assert_true(paired.p > 0.05);
}

static double noise(void)
{
	return exp(0.02 * ((rand() + (double)rand() + rand() + rand()) / RAND_MAX - 2));
}

/* 400 comparisons of 20 pairs with noise of 1.2 %. */
static unsigned found_of_400(double ratio)
{
	unsigned found = 0;

	srand(1);
	for (unsigned trial = 0; trial < 400; trial++) {
		double a[20], b[20];
		struct paired paired;

		for (unsigned i = 0; i < 20; i++) {
			a[i] = noise();
			b[i] = ratio * noise();
		}
		paired = paired_compare(a, b, 20, 0.99);
		found += paired.p < 0.01;
	}
	return found;
}

static void noise_alone_is_rarely_called_a_difference(void **state)
{
	assert_true(found_of_400(1) <= 12); /* 1 % of them is 4 */
}

static void two_percent_in_noise_of_one_is_found(void **state)
{
	assert_true(found_of_400(1.02) >= 380);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rank_test_counts_exactly),
		cmocka_unit_test(ties_share_their_ranks),
		cmocka_unit_test(swapping_turns_the_answer_round),
		cmocka_unit_test(one_outlier_is_not_a_difference),
		cmocka_unit_test(noise_alone_is_rarely_called_a_difference),
		cmocka_unit_test(two_percent_in_noise_of_one_is_found),
	};

	return cmocka_run_group_tests_name("paired", tests, NULL, NULL);
}
