/*
 * What a comparison says: counts first, as they are exact; then CPU time per operation,
 * by statistics; time itself is shown and not judged.
 */
#ifndef TICKVM_COMPARE_JUDGE_H
#define TICKVM_COMPARE_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

#include "session.h"

enum finding { FINDING_UNKNOWN, FINDING_SAME, FINDING_BETTER, FINDING_WORSE, FINDING_OPEN };

/* Of one measure of one row. */
struct compare_answer {
	enum finding finding; /* UNKNOWN: not measured; OPEN: more pairs may tell */
	double a, b;	      /* medians */
	struct paired paired; /* n 0: none made */
};

/* The whole comparison: `which` is the row and measure that decide. */
struct compare_judgement {
	enum finding finding;
	unsigned row;
	enum compare_measure measure;
	struct compare_answer answers[COMPARE_ROWS_MAX][COMPARE_MEASURES];
};

/*
 * `threshold`: the relative difference that matters, 0.02 say. A difference is one if its
 * interval leaves 1 out and it is half the threshold at least; none if the interval lies
 * within 1 ± threshold; else it is open. `last`: no more pairs will come.
 */
void compare_judge(const struct compare_session *session, double threshold, bool last,
		   struct compare_judgement *judgement);

/* Whether a measure's finding counts for the verdict, or is only shown. */
bool compare_is_judged(const struct compare_session *session, unsigned row,
		       enum compare_measure measure);

extern const char *const compare_measure_names[COMPARE_MEASURES];
extern const char *const compare_finding_names[];

#endif
