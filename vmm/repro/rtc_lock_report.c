/*
 * The verdict on thread 003, and its tables. Lock-free, the vCPUs that storm the chip call the
 * kernel for a lock a hundredth as often as under the big lock, the interrupt's raising
 * included; where the big lock is hardly ever waited for here, there is nothing to compare.
 */
#include <math.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../report/report.h"
#include "../report/summary_parts.h"
#include "rtc_lock.h"
#include "verdict.h"
#include "workload.h"
#include "workload_print.h"

/* Of the threads' start and end, not of accesses: some a thread, and a run has no more than these.
 */
#define BACKGROUND_CALLS 40
#define SHARE_PROMISED	 0.01

static const struct workload_column idle_columns[] = {
	{"accesses", "accesses", true},
	{"futex", "futex_calls", true},
	{"futex/10^4", "futex_per_10000", false},
	{"poll", "poll_calls", true},
	{"ioctl", "ioctl_calls", true},
	{"late p50 us", "late_p50_us", false},
	{"late p99 us", "late_p99_us", false},
	{"vCPU CPU %", "host_cpu_percent", false},
	{NULL, NULL, false},
};

static const struct workload_column storm_columns[] = {
	{"accesses", "accesses", true},
	{"futex", "futex_calls", true},
	{"futex/10^4", "futex_per_10000", false},
	{"accesses/s", "accesses_per_s", false},
	{"CPU ns/access", "cpu_ns_per_access", false},
	{"ratio", "ratio", false},
	{NULL, NULL, false},
};

int rtc_lock_judge(json_t *report)
{
	const json_t *rows = json_object_get(report, "rtcstorm");
	const json_t *big = json_array_get(rows, RTC_LOCK_BIG);
	const json_t *free = json_array_get(rows, RTC_LOCK_FREE);
	double before, after, most;
	char reason[300];

	if (workload_judge_endings(report, "rtcidle") || workload_judge_endings(report, "rtcstorm"))
		return 0;
	if (!row_is_ok(big) || !row_is_ok(free))
		return repro_set_verdict(report, "skipped", TK_EXIT_SKIPPED,
					 text_of(row_is_ok(big) ? free : big, "reason"));
	before = row_figure(big, "futex_calls", "median");
	after = row_figure(free, "futex_calls", "median");
	most = before * SHARE_PROMISED + BACKGROUND_CALLS;
	snprintf(reason, sizeof(reason),
		 "futex calls of the storm: %.0f under the big lock, %.0f without, bound %.0f "
		 "(1 %% and %d of the threads' own)",
		 before, after, most, BACKGROUND_CALLS);
	if (after > most)
		return repro_set_verdict(report, "fail", TK_EXIT_FAIL, reason);
	return repro_set_verdict(report, "pass", TK_EXIT_PASS, reason);
}

void rtc_lock_print(const json_t *report, FILE *out)
{
	fputs("thread 003: the RTC under the big lock, under its own, and without\n", out);
	print_host(report, out);
	fputs("\nan idle guest, 64 ticks a second, the time read after each", out);
	fprintf(out, ": median of %lld, in turns\n", integer_of(report, "repeat"));
	workload_print(json_object_get(report, "rtcidle"), "RTC", idle_columns, "futex_calls", out);
	fprintf(out, "4 CPUs read it flat out: median of %lld, in turns\n",
		integer_of(report, "repeat"));
	workload_print(json_object_get(report, "rtcstorm"), "RTC", storm_columns, "futex_calls",
		       out);
	fputs("ratio: CPU time of the first row over this row's, round by round\n", out);
	print_verdict(report, out, summary_wants_colour(out));
}
