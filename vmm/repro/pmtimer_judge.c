/*
 * The verdict on thread 000: a call leaves the guest as often as the place promises
 * that serves the timer. Counts are exact; what the calls cost is shown and not judged.
 */
#include "pmtimer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "verdict.h"
#include "workload.h"

/* Exits that are not the calls': the end of the phase, and the host's own interrupts. */
#define BACKGROUND_EXITS	      10
#define BACKGROUND_KVM_EXITS_PER_CALL 0.01

/* Exits of a call, as each place promises. */
static const struct promise {
	unsigned to_userspace, of_kvm;
} promises[PMTIMER_PLACES] = {{1, 1}, {1, 1}, {0, 1}, {0, 0}};

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

	if (repro_host_interprets(report) || !isfinite(measured))
		return true;
	return fabs(measured - promise->of_kvm) <= background;
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

	if (workload_judge_endings(report, "gtod") || workload_judge_endings(report, "iotick"))
		return 0;
	broken = judge_counts(report, counts, sizeof(counts), &ran);
	if (!ran) {
		const json_t *row = json_array_get(json_object_get(report, "gtod"), 0);

		return repro_set_verdict(report, "skipped", TK_EXIT_SKIPPED,
					 json_string_value(json_object_get(row, "reason")));
	}
	snprintf(reason, sizeof(reason), "exits to userspace per call %s, %s%s", counts,
		 broken ? "not as promised: " : "as each place promises", broken ? broken : "");
	return repro_set_verdict(report, broken ? "fail" : "pass",
				 broken ? TK_EXIT_FAIL : TK_EXIT_PASS, reason);
}
