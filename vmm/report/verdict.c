/*
 * The rules by which a run is judged, in this order:
 *
 *  1. Another version of the contract than ours: usage, nothing in the text is sure.
 *  2. A run cut short: time-out, stopped by the user (inconclusive), or the guest
 *     crashed, reset or hung (fail).
 *  3. The guest's code, if it says more than pass and fail: usage (2),
 *     inconclusive (3), time-out (124). It knows why it gave up. Skipped (77)
 *     too, but not against a failed check.
 *  4. Checks: a failed one, one too few or too many for the plan: fail.
 *  5. Any other code but 0: fail.
 *  6. No code: a serial text without its end is a fail, for what follows the last
 *     line is unknown. A power-off passes if a plan of checks was fulfilled, and
 *     is inconclusive without one: nothing said that it went well.
 *  7. Otherwise: pass; skipped if there were checks and all were skipped.
 */
#include "verdict.h"

#include <stdarg.h>
#include <stdio.h>

#include "../measure/record.h"

struct tally {
	unsigned ok, failed, skipped, all;
	const char *first_failed;
};

static struct tally count_checks(const struct record *record)
{
	struct tally tally = {.all = record->check_count + record->checks_lost};

	for (unsigned i = 0; i < record->check_count; i++) {
		const struct check *check = &record->checks[i];

		tally.ok += check->status == CHECK_OK;
		tally.skipped += check->status == CHECK_SKIPPED;
		if (check->status == CHECK_FAILED && tally.failed++ == 0)
			tally.first_failed = check->name;
	}
	return tally;
}

__attribute__((format(printf, 3, 4))) static void set(struct verdict *verdict, enum tk_exit code,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(verdict->reason, sizeof(verdict->reason), format, args);
	va_end(args);
	verdict->exit_code = code;
	switch (code) {
	case TK_EXIT_PASS:
		verdict->status = "pass";
		break;
	case TK_EXIT_FAIL:
		verdict->status = "fail";
		break;
	case TK_EXIT_USAGE:
		verdict->status = "usage";
		break;
	case TK_EXIT_INCONCLUSIVE:
		verdict->status = "inconclusive";
		break;
	case TK_EXIT_SKIPPED:
		verdict->status = "skipped";
		break;
	case TK_EXIT_TIMEOUT:
		verdict->status = "timeout";
		break;
	}
}

/* Rule 2. The VMM's own line is the reason; `what` stands in for it. */
static bool judge_cut_short(const struct record *record, struct verdict *verdict)
{
	enum tk_exit code = TK_EXIT_FAIL;
	const char *what;

	switch (record->end) {
	case END_TIMEOUT:
		code = TK_EXIT_TIMEOUT;
		what = "timed out";
		break;
	case END_STOPPED:
		code = TK_EXIT_INCONCLUSIVE;
		what = "stopped before the guest ended";
		break;
	case END_TRIPLE_FAULT:
		what = "triple fault";
		break;
	case END_INTERNAL_ERROR:
		what = "KVM internal error";
		break;
	case END_HALTED:
		what = "every CPU halted with interrupts off";
		break;
	case END_RESET:
		what = "the guest reset the machine";
		break;
	default:
		return false;
	}
	set(verdict, code, "%s", record->reason[0] ? record->reason : what);
	return true;
}

/* The guest's own "tickvm: …" line; else what it wrote to isa-debug-exit; else `what`. */
static const char *guest_reason(const struct record *record, const char *what)
{
	if (record->message[0])
		return record->message;
	return record->end == END_DEBUG_EXIT && record->reason[0] ? record->reason : what;
}

/* Rule 3. */
static bool judge_refusal(const struct record *record, const struct tally *tally,
			  struct verdict *verdict)
{
	const char *what;

	switch (record->guest_code) {
	case TK_EXIT_USAGE:
		what = "the guest does not take its command line";
		break;
	case TK_EXIT_INCONCLUSIVE:
		what = "the guest could not judge: the host stalled";
		break;
	case TK_EXIT_TIMEOUT:
		what = "the guest gave up waiting";
		break;
	case TK_EXIT_SKIPPED:
		if (tally->failed)
			return false;
		what = "this machine cannot run it";
		break;
	default:
		return false;
	}
	set(verdict, (enum tk_exit)record->guest_code, "%s", guest_reason(record, what));
	return true;
}

/* Rule 4. */
static bool judge_checks(const struct record *record, const struct tally *tally,
			 struct verdict *verdict)
{
	if (tally->failed)
		set(verdict, TK_EXIT_FAIL, "%u of %u checks failed: %s%s", tally->failed,
		    tally->all, tally->first_failed, tally->failed > 1 ? ", ..." : "");
	else if (record->checks_lost)
		set(verdict, TK_EXIT_FAIL, "%u checks: only the first %u were kept", tally->all,
		    record->check_count);
	else if (record->planned && tally->all != record->planned)
		set(verdict, TK_EXIT_FAIL, "%u of %u planned checks ran", tally->all,
		    record->planned);
	else
		return false;
	return true;
}

/* Rule 6, when judge_checks() found nothing. */
static bool judge_without_code(const struct record *record, const struct tally *tally,
			       struct verdict *verdict)
{
	if (record->guest_code >= 0)
		return false;
	if (record->end == END_NO_EXIT)
		set(verdict, TK_EXIT_FAIL, "the text ends without an exit line");
	else if (!tally->all)
		set(verdict, TK_EXIT_INCONCLUSIVE,
		    "the guest ended without an exit code or a check");
	else if (!record->planned)
		set(verdict, TK_EXIT_INCONCLUSIVE,
		    "%u checks passed, but without an exit code or a plan some may be missing",
		    tally->ok);
	else
		return false;
	return true;
}

/* Rule 5. */
static bool judge_code(const struct record *record, struct verdict *verdict)
{
	char what[40];

	if (record->guest_code <= 0)
		return false;
	snprintf(what, sizeof(what), "the guest's exit code is %d", record->guest_code);
	if (record->message[0])
		set(verdict, TK_EXIT_FAIL, "%s: %s", what, record->message);
	else
		set(verdict, TK_EXIT_FAIL, "%s", guest_reason(record, what));
	return true;
}

/* Rule 7. */
static void judge_good(const struct record *record, const struct tally *tally,
		       struct verdict *verdict)
{
	if (!tally->all)
		set(verdict, TK_EXIT_PASS, "%s", guest_reason(record, "exit code 0, no checks"));
	else if (tally->skipped == tally->all)
		set(verdict, TK_EXIT_SKIPPED, "all %u checks were skipped", tally->all);
	else if (tally->skipped)
		set(verdict, TK_EXIT_PASS, "%u of %u checks passed, %u skipped", tally->ok,
		    tally->all, tally->skipped);
	else
		set(verdict, TK_EXIT_PASS, "%u of %u checks passed", tally->ok, tally->all);
}

void verdict_judge(const struct record *record, struct verdict *verdict)
{
	struct tally tally = count_checks(record);

	if (record->guest_abi && record->guest_abi != TK_ABI_VERSION)
		set(verdict, TK_EXIT_USAGE, "the guest speaks contract version %u, this tickvm %u",
		    record->guest_abi, TK_ABI_VERSION);
	else if (judge_cut_short(record, verdict) || judge_refusal(record, &tally, verdict) ||
		 judge_checks(record, &tally, verdict) || judge_code(record, verdict) ||
		 judge_without_code(record, &tally, verdict))
		return;
	else
		judge_good(record, &tally, verdict);
}
