/*
 * The verdict on thread 000: a call leaves the guest as often as the place promises
 * that serves the timer. Counts are exact; what the calls cost is shown and not judged.
 */
#include "pmtimer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../report/json_values.h"
#include "workload.h"

/* Exits that are not the calls': the end of the phase, and the host's own interrupts. */
#define BACKGROUND_EXITS	      10
#define BACKGROUND_KVM_EXITS_PER_CALL 0.01

/* Exits of a call, as each place promises. */
static const struct promise {
	unsigned to_userspace, of_kvm;
} promises[PMTIMER_PLACES] = {{1, 1}, {1, 1}, {0, 1}, {0, 0}};

bool pmtimer_host_interprets(const json_t *report)
{
	const char *kind =
		json_string_value(json_object_get(json_object_get(report, "host"), "kind"));

	return kind && !strcmp(kind, "interpreting KVM");
}

static bool keeps_promise_to_userspace(const json_t *row, const struct promise *promise)
{
	double promised = promise->to_userspace * row_figure(row, "calls", "median");

	return fabs(row_figure(row, "exits_to_userspace", "min") - promised) <= BACKGROUND_EXITS &&
	       fabs(row_figure(row, "exits_to_userspace", "max") - promised) <= BACKGROUND_EXITS;
}

/* An interpreting KVM counts its own pauses, too; one without statistics counts nothing. */
static bool keeps_promise_of_kvm(const json_t *report, const json_t *row,
				 const struct promise *promise)
{
	double measured = row_figure(row, "kvm_exits_per_call", "median");
	double background = BACKGROUND_KVM_EXITS_PER_CALL +
			    BACKGROUND_EXITS / row_figure(row, "calls", "median");

	if (pmtimer_host_interprets(report) || !isfinite(measured))
		return true;
	return fabs(measured - promise->of_kvm) <= background;
}

static int set_verdict(json_t *report, const char *status, int code, const char *reason)
{
	json_t *verdict = json_pack("{s:s, s:i, s:s}", "status", status, "exit_code", code,
				    "reason", reason);

	return json_put(report, "verdict", verdict);
}

/* The first row that is neither run nor skipped, if any, decides. */
static bool judge_endings(json_t *report, const char *workload)
{
	char reason[400];
	const json_t *row;
	size_t i;

	json_array_foreach (json_object_get(report, workload), i, row) {
		const char *status = json_string_value(json_object_get(row, "status"));
		bool failed = !strcmp(status, "failed");

		if (!failed && strcmp(status, "inconclusive") != 0)
			continue;
		snprintf(reason, sizeof(reason), "%s, %s: %s", workload,
			 json_string_value(json_object_get(row, "name")),
			 json_string_value(json_object_get(row, "reason")));
		set_verdict(report, failed ? "fail" : "inconclusive",
			    failed ? TK_EXIT_FAIL : TK_EXIT_INCONCLUSIVE, reason);
		return true;
	}
	return false;
}

static void add_text(char *text, size_t size, const char *more)
{
	snprintf(text + strlen(text), size - strlen(text), "%s", more);
}

/* "1.00 / 1.00 / - / 0.00"; returns the first place that breaks its promise, or NULL. */
static const char *judge_counts(const json_t *report, char *counts, size_t size, unsigned *ran)
{
	const char *broken = NULL;
	const json_t *row;
	char cell[32];
	size_t i;

	counts[0] = 0;
	*ran = 0;
	json_array_foreach (json_object_get(report, "gtod"), i, row) {
		bool ok = row_is_ok(row);

		snprintf(cell, sizeof(cell), "%.2f", row_figure(row, "exits_per_call", "median"));
		add_text(counts, size, i ? " / " : "");
		add_text(counts, size, ok ? cell : "-");
		*ran += ok;
		if (ok && !broken &&
		    (!keeps_promise_to_userspace(row, &promises[i]) ||
		     !keeps_promise_of_kvm(report, row, &promises[i])))
			broken = json_string_value(json_object_get(row, "name"));
	}
	return broken;
}

int pmtimer_judge(json_t *report)
{
	char counts[120], reason[300];
	const char *broken;
	unsigned ran;

	if (judge_endings(report, "gtod") || judge_endings(report, "iotick"))
		return 0;
	broken = judge_counts(report, counts, sizeof(counts), &ran);
	if (!ran) {
		const json_t *row = json_array_get(json_object_get(report, "gtod"), 0);

		return set_verdict(report, "skipped", TK_EXIT_SKIPPED,
				   json_string_value(json_object_get(row, "reason")));
	}
	snprintf(reason, sizeof(reason), "exits to userspace per call %s, %s%s", counts,
		 broken ? "not as promised: " : "as each place promises", broken ? broken : "");
	return set_verdict(report, broken ? "fail" : "pass", broken ? TK_EXIT_FAIL : TK_EXIT_PASS,
			   reason);
}
