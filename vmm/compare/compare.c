/* A/B comparison: see compare.h. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../host_clock.h"
#include "../report/json_values.h"

#define METHOD                                                                          \
	"paired runs ABBA; counts: the same answer of every pair; CPU: midmean of log " \
	"ratios, bootstrap interval (99 %, 1000 resamples), Wilcoxon signed-rank test"

/* Status and code of a finding: what `git bisect run` makes of it is in DESIGN's table. */
static const struct {
	const char *status;
	int code;
} endings[] = {
	[FINDING_UNKNOWN] = {"skipped", TK_EXIT_SKIPPED},
	[FINDING_SAME] = {"pass", TK_EXIT_PASS},
	[FINDING_BETTER] = {"pass", TK_EXIT_PASS},
	[FINDING_WORSE] = {"fail", TK_EXIT_FAIL},
	[FINDING_OPEN] = {"inconclusive", TK_EXIT_INCONCLUSIVE},
};

static int set_verdict(json_t *report, const char *status, int code, const char *reason)
{
	return json_put(report, "verdict",
			json_pack("{s:s, s:i, s:o}", "status", status, "exit_code", code, "reason",
				  json_text(reason)));
}

static void describe(const struct compare_session *session,
		     const struct compare_judgement *judgement, char *text, size_t size)
{
	const struct compare_answer *answer =
		&judgement->answers[judgement->row][judgement->measure];
	const char *finding = compare_finding_names[judgement->finding];
	const char *what = compare_measure_names[judgement->measure];
	const char *row = session->rows[judgement->row].name;

	if (judgement->finding == FINDING_UNKNOWN)
		snprintf(text, size, "%s: no count and no time of both", finding);
	else if (judgement->finding == FINDING_SAME)
		snprintf(text, size, "%s, in %u pairs", finding, session->pairs);
	else if (answer->paired.n)
		snprintf(text, size, "%s: %s of %s %+.2f %% (%+.2f to %+.2f), %u pairs", finding,
			 what, row, (answer->paired.ratio - 1) * 100,
			 (answer->paired.low - 1) * 100, (answer->paired.high - 1) * 100,
			 session->pairs);
	else
		snprintf(text, size, "%s: %s of %s %.4g and %.4g, %u pairs", finding, what, row,
			 answer->a, answer->b, session->pairs);
}

/* Worse and better need no more runs; no difference only when nothing is open. */
static bool is_settled(const struct compare_judgement *judgement)
{
	return judgement->finding != FINDING_OPEN;
}

static int run_pairs(struct compare_session *session, const struct compare_options *options,
		     struct compare_judgement *judgement, struct error *e)
{
	uint64_t start_ns = host_monotonic_ns();
	uint64_t most_ns = (uint64_t)(options->max_seconds * (double)NS_PER_S);
	bool last = false;

	if (compare_session_start(session, e))
		return -1;
	if (session->stopped_code == TK_EXIT_USAGE)
		return error_set(e, TK_EXIT_USAGE, "compare: %s", session->stopped);
	while (!session->stopped[0] && !last) {
		if (compare_session_block(session, e))
			return -1;
		last = host_monotonic_ns() - start_ns >= most_ns || session->pairs + 2 > PAIRED_MAX;
		compare_judge(session, options->threshold, last, judgement);
		last |= is_settled(judgement);
	}
	return 0;
}

static void fill_report(const struct compare_session *session,
			const struct compare_judgement *judgement, json_t *report)
{
	char reason[400];

	json_object_update(report, session->facts);
	json_put(report, "pairs", json_u64(session->pairs));
	json_put(report, "order", json_string("ABBA"));
	json_put(report, "method", json_string(METHOD));
	json_put(report, "rows", compare_rows_json(session, judgement));
	if (session->stopped[0]) {
		set_verdict(report,
			    session->stopped_code == TK_EXIT_SKIPPED	    ? "skipped"
			    : session->stopped_code == TK_EXIT_INCONCLUSIVE ? "inconclusive"
									    : "fail",
			    session->stopped_code, session->stopped);
		return;
	}
	describe(session, judgement, reason, sizeof(reason));
	set_verdict(report, endings[judgement->finding].status, endings[judgement->finding].code,
		    reason);
}

int compare_run(const struct compare_options *options, json_t *report, struct error *e)
{
	struct compare_session *session = calloc(1, sizeof(*session));
	struct compare_judgement *judgement = calloc(1, sizeof(*judgement));
	int result = -1;

	if (!session || !judgement) {
		error_set(e, TK_EXIT_FAIL, "out of memory");
	} else {
		session->progress = options->progress;
		if (!spec_parse(&session->specs[0], options->a, options->image, options->cmdline,
				e) &&
		    !spec_parse(&session->specs[1], options->b, options->image, options->cmdline,
				e))
			result = run_pairs(session, options, judgement, e);
		if (session->progress)
			fputs("\r\033[K", session->progress);
		if (result == 0)
			fill_report(session, judgement, report);
		if (result == 0 && options->text)
			compare_print(session, judgement, report, options->text);
		compare_session_free(session);
	}
	free(judgement);
	free(session);
	return result;
}
