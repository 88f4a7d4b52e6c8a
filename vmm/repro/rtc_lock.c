/*
 * Thread 003 (qemu-devel, February 2018: "rtc: placing RTC memory region outside BQL"): what
 * does the one big lock cost a guest that lives on the RTC?
 *
 * The thread's first patch gave the chip a lock of its own and saved 90 % of an idle guest's
 * futex calls; its second took the big lock to raise the interrupt, and saved nearly none. App
 * rtcidle idles as that guest did; app rtcstorm is the stressful case that was asked for. The
 * judge is the number of futex calls per 10^4 accesses, by the kernel's tracepoints.
 */
#include "rtc_lock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "workload.h"

#define NS_PER_S  1e9
#define ACCESSES  1e4
#define IDLE_S	  2 /* a run, unless --seconds says so */
#define STORM_N	  50000
#define STORM_CPU "--cpus=4"

static const struct workload_row ways[RTC_LOCK_ROWS] = {
	[RTC_LOCK_BIG] = {"big lock", {"--lock=big", "--timer-thread=main"}},
	[RTC_LOCK_DEVICE] = {"own lock (v1)", {"--lock=device", "--timer-thread=main"}},
	[RTC_LOCK_RAISE_BIG] = {"own, raised under big (v2)",
				{"--lock=device", "--timer-thread=main", "--raise-lock=big"}},
	[RTC_LOCK_FREE] = {"lock-free, own thread", {"--lock=free", "--timer-thread=own"}},
};

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Calls of this name, 0 if there were none; NAN: not metered. */
static double calls_of(const json_t *result, const char *name)
{
	const json_t *syscalls = json_object_get(result, "syscalls"), *call;
	size_t i;

	if (!json_is_object(syscalls))
		return NAN;
	json_array_foreach (json_object_get(syscalls, "calls"), i, call) {
		const char *its = json_string_value(json_object_get(call, "name"));

		if (its && !strcmp(its, name))
			return number(call, "calls");
	}
	return 0;
}

/* Accesses of the whole run: what the chip's ports have counted. */
static double accesses(const json_t *result, const json_t *phase)
{
	const json_t *port;
	size_t i;

	json_array_foreach (json_object_get(json_object_get(result, "exits"), "ports"), i, port) {
		const char *name = json_string_value(json_object_get(port, "name"));

		if (name && !strcmp(name, "rtc"))
			return number(port, "in") + number(port, "out");
	}
	return NAN;
}

static double futex_calls(const json_t *result, const json_t *phase)
{
	return calls_of(result, "futex");
}

static double futex_per_10000(const json_t *result, const json_t *phase)
{
	return futex_calls(result, phase) / accesses(result, phase) * ACCESSES;
}

static double poll_calls(const json_t *result, const json_t *phase)
{
	return calls_of(result, "poll");
}

static double ioctl_calls(const json_t *result, const json_t *phase)
{
	return calls_of(result, "ioctl");
}

static double accesses_per_s(const json_t *result, const json_t *phase)
{
	return number(phase, "operations") / (number(phase, "wall_ns") / NS_PER_S);
}

static double cpu_ns_per_access(const json_t *result, const json_t *phase)
{
	return number(phase, "vcpu_cpu_ns") / number(phase, "operations");
}

static double host_cpu_percent(const json_t *result, const json_t *phase)
{
	return number(phase, "vcpu_cpu_ns") / number(phase, "wall_ns") * 100;
}

static double late_of(const json_t *result, const char *which)
{
	const json_t *metric;
	size_t i;

	json_array_foreach (json_object_get(result, "metrics"), i, metric) {
		const char *name = json_string_value(json_object_get(metric, "name"));

		if (name && !strcmp(name, "rtcidle.late"))
			return number(metric, which) / 1000;
	}
	return NAN;
}

static double late_p50_us(const json_t *result, const json_t *phase)
{
	return late_of(result, "p50");
}

static double late_p99_us(const json_t *result, const json_t *phase)
{
	return late_of(result, "p99");
}

enum { IDLE_CPU_PERCENT };
static const struct measure idle_measures[] = {
	[IDLE_CPU_PERCENT] = {"host_cpu_percent", host_cpu_percent},
	{"accesses", accesses},
	{"futex_calls", futex_calls},
	{"futex_per_10000", futex_per_10000},
	{"poll_calls", poll_calls},
	{"ioctl_calls", ioctl_calls},
	{"late_p50_us", late_p50_us},
	{"late_p99_us", late_p99_us},
};

enum { STORM_CPU_NS };
static const struct measure storm_measures[] = {
	[STORM_CPU_NS] = {"cpu_ns_per_access", cpu_ns_per_access},
	{"accesses", accesses},
	{"futex_calls", futex_calls},
	{"futex_per_10000", futex_per_10000},
	{"accesses_per_s", accesses_per_s},
	{"host_cpu_percent", host_cpu_percent},
};

static const char *const idle_options[] = {"--syscalls", NULL};
static const char *const storm_options[] = {"--syscalls", STORM_CPU, NULL};

static const struct workload idle = {
	.key = "rtcidle",
	.phase = "rtcidle",
	.rows = ways,
	.row_count = RTC_LOCK_ROWS,
	.options = idle_options,
	.measures = idle_measures,
	.measure_count = sizeof(idle_measures) / sizeof(*idle_measures),
	.ratio_of = IDLE_CPU_PERCENT,
};

static const struct workload storm = {
	.key = "rtcstorm",
	.phase = "rtcstorm.crowd",
	.rows = ways,
	.row_count = RTC_LOCK_ROWS,
	.options = storm_options,
	.measures = storm_measures,
	.measure_count = sizeof(storm_measures) / sizeof(*storm_measures),
	.ratio_of = STORM_CPU_NS,
};

static int run(const struct repro_options *options, json_t *report, struct error *e)
{
	unsigned long long seconds = options->seconds ? options->seconds : IDLE_S;
	unsigned long long n = options->calls ? options->calls : STORM_N;
	char cmdline[80];

	snprintf(cmdline, sizeof(cmdline), "app=rtcidle seconds=%llu", seconds);
	if (workload_run(&idle, cmdline, options, report, e))
		return -1;
	snprintf(cmdline, sizeof(cmdline), "app=rtcstorm n=%llu", n);
	if (workload_run(&storm, cmdline, options, report, e))
		return -1;
	return rtc_lock_judge(report) ? error_set(e, TK_EXIT_FAIL, "out of memory for the report")
				      : 0;
}

const struct repro_scenario repro_rtc_lock = {
	.name = "rtc-lock",
	.what = "what the big lock costs a guest on the RTC (qemu-devel, 2018)",
	.run = run,
	.print = rtc_lock_print,
};
