/* The rules of the verdict, a row each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/measure/record.h"
#include "vmm/report/verdict.h"

struct row {
	enum run_end end;
	int code;
	const char *checks; /* a letter a check: o ok, f failed, s skipped */
	unsigned planned;
	const char *status;
	int exit_code;
	const char *reason;
	const char *given; /* by the VMM, or by the guest's "tickvm: " line */
	unsigned abi;
};

static const struct row rows[] = {
	/* The guest's code and its checks. */
	{END_EXIT, 0, "ooo", 3, "pass", 0, "3 of 3 checks passed", "", 1},
	{END_EXIT, 0, "ooo", 0, "pass", 0, "3 of 3 checks passed", "", 1},
	{END_EXIT, 0, "oso", 3, "pass", 0, "2 of 3 checks passed, 1 skipped", "", 1},
	{END_EXIT, 0, "sss", 3, "skipped", 77, "all 3 checks were skipped", "", 1},
	{END_EXIT, 0, "", 0, "pass", 0, "exit code 0, no checks", "", 0},
	{END_EXIT, 0, "ofo", 3, "fail", 1, "1 of 3 checks failed: c1", "", 1},
	{END_EXIT, 0, "fof", 3, "fail", 1, "2 of 3 checks failed: c0, ...", "", 1},
	{END_EXIT, 0, "oo", 3, "fail", 1, "2 of 3 planned checks ran", "", 1},
	{END_EXIT, 0, "oooo", 3, "fail", 1, "4 of 3 planned checks ran", "", 1},
	{END_EXIT, 0, "", 3, "fail", 1, "0 of 3 planned checks ran", "", 1},
	{END_DEBUG_EXIT, 0, "", 0, "pass", 0, "exit code 0, no checks", "", 0},
	{END_EXIT, 1, "ooo", 3, "fail", 1, "the guest's exit code is 1", "", 1},
	{END_EXIT, 1, "ofo", 3, "fail", 1, "1 of 3 checks failed: c1", "", 1},
	{END_EXIT, 1, "", 0, "fail", 1, "the guest's exit code is 1: no timer", "no timer", 1},
	{END_DEBUG_EXIT, 42, "", 0, "fail", 1, "the guest's exit code is 42", "", 0},
	{END_DEBUG_EXIT, 1, "", 0, "fail", 1, "debug exit: 0x5 written", "debug exit: 0x5 written",
	 0},
	{END_DEBUG_EXIT, 0, "", 0, "pass", 0, "debug exit: 0 written", "debug exit: 0 written", 0},
	{END_DEBUG_EXIT, 0, "o", 0, "pass", 0, "1 of 1 checks passed", "debug exit: 0 written", 0},
	/* Codes that say more. */
	{END_EXIT, 2, "", 0, "usage", 2, "unknown app 'x'", "unknown app 'x'", 1},
	{END_EXIT, 2, "", 0, "usage", 2, "the guest does not take its command line", "", 1},
	{END_EXIT, 3, "of", 3, "inconclusive", 3, "host stalled 9 ms", "host stalled 9 ms", 1},
	{END_EXIT, 77, "", 0, "skipped", 77, "no PLE on this CPU", "no PLE on this CPU", 1},
	{END_EXIT, 77, "o", 3, "skipped", 77, "this machine cannot run it", "", 1},
	{END_EXIT, 77, "f", 3, "fail", 1, "1 of 1 checks failed: c0", "", 1},
	{END_EXIT, 124, "o", 3, "timeout", 124, "the guest gave up waiting", "", 1},
	/* No code. */
	{END_POWER_OFF, -1, "oo", 2, "pass", 0, "2 of 2 checks passed", "", 0},
	{END_POWER_OFF, -1, "o", 2, "fail", 1, "1 of 2 planned checks ran", "", 0},
	{END_POWER_OFF, -1, "of", 0, "fail", 1, "1 of 2 checks failed: c1", "", 0},
	{END_POWER_OFF, -1, "oo", 0, "inconclusive", 3,
	 "2 checks passed, but without an exit code or a plan some may be missing", "", 0},
	{END_POWER_OFF, -1, "", 0, "inconclusive", 3,
	 "the guest ended without an exit code or a check", "", 0},
	{END_POWER_OFF, 0, "oo", 2, "pass", 0, "2 of 2 checks passed", "", 0},
	{END_POWER_OFF, 1, "oo", 2, "fail", 1, "the guest's exit code is 1", "", 0},
	{END_NO_EXIT, -1, "oo", 2, "fail", 1, "the text ends without an exit line", "", 1},
	{END_NO_EXIT, -1, "", 0, "fail", 1, "the text ends without an exit line", "", 0},
	{END_NO_EXIT, -1, "o", 2, "fail", 1, "1 of 2 planned checks ran", "", 1},
	/* Cut short, whatever the checks say. */
	{END_TIMEOUT, -1, "oo", 2, "timeout", 124, "no exit after 5 s", "no exit after 5 s", 1},
	{END_TIMEOUT, 0, "oo", 2, "timeout", 124, "timed out", "", 1},
	{END_TRIPLE_FAULT, -1, "oo", 2, "fail", 1, "triple fault", "", 1},
	{END_INTERNAL_ERROR, -1, "oo", 2, "fail", 1, "KVM internal error", "", 1},
	{END_HALTED, -1, "oo", 2, "fail", 1, "every CPU halted with interrupts off", "", 1},
	{END_RESET, -1, "oo", 2, "fail", 1, "the guest reset the machine", "", 1},
	{END_STOPPED, -1, "oo", 2, "inconclusive", 3, "stopped before the guest ended", "", 1},
	/* Another contract. */
	{END_EXIT, 0, "oo", 2, "usage", 2, "the guest speaks contract version 99, this tickvm 1",
	 "", 99},
};

static void add_checks(struct record *record, const char *checks)
{
	for (unsigned i = 0; checks[i]; i++) {
		struct check check = {.status = checks[i] == 'o'   ? CHECK_OK
						: checks[i] == 'f' ? CHECK_FAILED
								   : CHECK_SKIPPED};

		snprintf(check.name, sizeof(check.name), "c%u", i);
		record_check(record, &check);
	}
}

static void each_rule(void **state)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct record record;
		struct verdict verdict;

		record_init(&record);
		record.end = row->end;
		record.guest_code = row->code;
		record.planned = row->planned;
		record.guest_abi = row->abi;
		strcpy(record.reason, row->given);
		if (row->end != END_DEBUG_EXIT)
			strcpy(record.message, row->given);
		add_checks(&record, row->checks);
		verdict_judge(&record, &verdict);
		record_free(&record);
		if (strcmp(verdict.status, row->status) || verdict.exit_code != row->exit_code ||
		    strcmp(verdict.reason, row->reason))
			fail_msg("row %u: %s %d \"%s\", not %s %d \"%s\"", i, verdict.status,
				 verdict.exit_code, verdict.reason, row->status, row->exit_code,
				 row->reason);
	}
}

static void lost_checks_fail(void **state)
{
	struct record record;
	struct verdict verdict;

	record_init(&record);
	record.guest_code = 0;
	record.planned = 7;
	record.checks_lost = 5;
	add_checks(&record, "oo");
	verdict_judge(&record, &verdict);
	assert_string_equal(verdict.status, "fail");
	assert_string_equal(verdict.reason, "7 checks: only the first 2 were kept");
	record_free(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule),
		cmocka_unit_test(lost_checks_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
