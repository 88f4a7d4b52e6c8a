/* What a comparison says: see judge.h. */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two pairs settle a count: it is exact but for what is not the workload's. That is the
 * phase's own end and the host's interrupts, whichever way they fall.
 */
#define COUNT_PAIRS	 2
#define BACKGROUND_EXITS 10

/*
 * Time is looked at after each block of pairs, and each look could err: so a look before
 * the last must be surer. With n pairs the test cannot say less than 2^(1-n): 10 at least.
 */
#define LEVEL	    0.99
#define P_LAST_LOOK 0.01
#define P_EARLY	    0.002
#define PAIRS_MIN   10

const char *const compare_measure_names[COMPARE_MEASURES] = {
	[COMPARE_EXITS] = "exits to userspace",
	[COMPARE_KVM_EXITS] = "exits of KVM",
	[COMPARE_CPU] = "CPU time",
	[COMPARE_TIME] = "time",
};

const char *const compare_finding_names[] = {
	[FINDING_UNKNOWN] = "not measured", [FINDING_SAME] = "no difference",
	[FINDING_BETTER] = "better",	    [FINDING_WORSE] = "worse",
	[FINDING_OPEN] = "inconclusive",
};

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(const double *values, unsigned n)
{
	double sorted[PAIRED_MAX];

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static bool all_known(const double *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			return false;
	}
	return n > 0;
}

static bool all_positive(const double *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (values[i] <= 0)
			return false;
	}
	return true;
}

static enum finding of_sign(double difference)
{
	return difference > 0 ? FINDING_WORSE : FINDING_BETTER;
}

/* The same answer of every pair, or none. */
static enum finding judge_count(const struct compare_row *row, const double *a, const double *b,
				unsigned n, double threshold)
{
	enum finding finding = FINDING_UNKNOWN;

	for (unsigned i = 0; i < n; i++) {
		double difference = b[i] - a[i];
		bool differs = fabs(difference) * row->operations > BACKGROUND_EXITS &&
			       fabs(difference) > threshold * a[i];
		enum finding this = differs ? of_sign(difference) : FINDING_SAME;

		if (finding != FINDING_UNKNOWN && this != finding)
			return FINDING_OPEN;
		finding = this;
	}
	return n < COUNT_PAIRS ? FINDING_OPEN : finding;
}

static enum finding judge_ratio(const struct paired *paired, double threshold, double p)
{
	double ratio = paired->ratio;
	bool beyond = ratio >= 1 + threshold / 2 || ratio <= 1 / (1 + threshold / 2);

	if (paired->n < PAIRS_MIN)
		return FINDING_OPEN;
	if (paired->p <= p && (paired->low > 1 || paired->high < 1) && beyond)
		return of_sign(ratio - 1);
	if (paired->low >= 1 / (1 + threshold) && paired->high <= 1 + threshold)
		return FINDING_SAME;
	return FINDING_OPEN;
}

bool compare_is_judged(const struct compare_session *session, unsigned row,
		       enum compare_measure measure)
{
	if (measure == COMPARE_TIME)
		return false;
	return row > 0 || session->row_count == 1; /* phases, else the whole run */
}

/* Several rows are several chances to err: each must be surer by as much. */
static struct compare_answer answer(const struct compare_session *session, unsigned row,
				    enum compare_measure measure, double threshold, bool last)
{
	const double *a = session->rows[row].values[measure][0];
	const double *b = session->rows[row].values[measure][1];
	unsigned n = session->pairs, judged = session->row_count > 1 ? session->row_count - 1 : 1;
	struct compare_answer answer = {.finding = FINDING_UNKNOWN};

	if (!all_known(a, n) || !all_known(b, n))
		return answer;
	answer.a = median(a, n);
	answer.b = median(b, n);
	if (measure == COMPARE_EXITS || measure == COMPARE_KVM_EXITS) {
		answer.finding = judge_count(&session->rows[row], a, b, n, threshold);
		return answer;
	}
	if (!all_positive(a, n) || !all_positive(b, n))
		return answer;
	answer.paired = paired_compare(a, b, n, LEVEL);
	answer.finding = judge_ratio(&answer.paired, threshold,
				     (last ? P_LAST_LOOK : P_EARLY) / judged);
	return answer;
}

/* What a finding says to the whole: a worse row is not made good by a better one. */
static unsigned weight(enum finding finding)
{
	static const unsigned weights[] = {
		[FINDING_UNKNOWN] = 0, [FINDING_SAME] = 1,  [FINDING_OPEN] = 2,
		[FINDING_BETTER] = 3,  [FINDING_WORSE] = 4,
	};

	return weights[finding];
}

void compare_judge(const struct compare_session *session, double threshold, bool last,
		   struct compare_judgement *judgement)
{
	memset(judgement, 0, sizeof(*judgement));
	for (unsigned measure = 0; measure < COMPARE_MEASURES; measure++) {
		for (unsigned row = 0; row < session->row_count; row++) {
			struct compare_answer *its = &judgement->answers[row][measure];

			*its = answer(session, row, measure, threshold, last);
			if (!compare_is_judged(session, row, measure) ||
			    weight(its->finding) <= weight(judgement->finding))
				continue;
			judgement->finding = its->finding;
			judgement->row = row;
			judgement->measure = measure;
		}
	}
}
