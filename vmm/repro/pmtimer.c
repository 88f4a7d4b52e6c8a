/*
 * Thread 000 (kvm list, December 2010: "KVM in-kernel PM Timer implementation"): what
 * does it matter where the ACPI PM timer is served?
 *
 * The thread called gettimeofday() in a loop, with the PM timer as clock source, and
 * gave real, user and system time; app gtod is that loop. A follow-up told of guests
 * that read the timer 15,000 times a second during I/O; app iotick is that workload.
 * The judge is neither's time but how often a call leaves the guest.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/json_values.h"
#include "pmtimer.h"
#include "workload.h"

#define NS_PER_S  1e9
#define NS_PER_MS 1e6

/* Times of all runs together: the default has to end within 10 s. */
#define GTOD_NS	  2.5e9
#define IOTICK_NS 1.5e9

#define GTOD_PROBE_CALLS   2000
#define IOTICK_PROBE_CALLS 100
#define CALLS_MIN	   100
#define CALLS_MAX	   100000000

static const struct workload_row places[] = {
	{"user, big lock", {"--pmtimer=user", "--lock=big"}},
	{"user, lock-free", {"--pmtimer=user", "--lock=free"}},
	{"kernel", {"--pmtimer=kernel"}},
	{"exitless", {"--pmtimer=exitless"}},
};
_Static_assert(sizeof(places) / sizeof(*places) == PMTIMER_PLACES, "a promise for each");

/* ---- measures ---- */

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double operations(const json_t *result, const json_t *phase)
{
	return number(phase, "operations");
}

static double wall_s(const json_t *result, const json_t *phase)
{
	return number(phase, "wall_ns") / NS_PER_S;
}

static double user_s(const json_t *result, const json_t *phase)
{
	return number(json_object_get(result, "cpu_ns"), "vcpu_user") / NS_PER_S;
}

static double sys_s(const json_t *result, const json_t *phase)
{
	return number(json_object_get(result, "cpu_ns"), "vcpu_system") / NS_PER_S;
}

static double ns_per_call(const json_t *result, const json_t *phase)
{
	return number(phase, "wall_ns") / number(phase, "operations");
}

static double cpu_ns_per_call(const json_t *result, const json_t *phase)
{
	return number(phase, "vcpu_cpu_ns") / number(phase, "operations");
}

static double exits_to_userspace(const json_t *result, const json_t *phase)
{
	return number(json_object_get(phase, "exits"), "total");
}

static double exits_per_call(const json_t *result, const json_t *phase)
{
	return exits_to_userspace(result, phase) / number(phase, "operations");
}

static double kvm_exits_per_call(const json_t *result, const json_t *phase)
{
	return number(phase, "kvm_exits") / number(phase, "operations");
}

static double ios_per_s(const json_t *result, const json_t *phase)
{
	return operations(result, phase) / wall_s(result, phase);
}

static double timer_reads_per_s(const json_t *result, const json_t *phase)
{
	const json_t *metric;
	size_t i;

	json_array_foreach (json_object_get(result, "metrics"), i, metric) {
		const char *name = json_string_value(json_object_get(metric, "name"));

		if (name && !strcmp(name, "iotick.timer-reads"))
			return number(metric, "max") / wall_s(result, phase);
	}
	return NAN;
}

/* Of the vCPU, KVM and VMM included, and of the disk's thread. */
static double host_cpu_ns(const json_t *phase)
{
	return number(phase, "vcpu_cpu_ns") + number(phase, "io_cpu_ns");
}

static double host_cpu_percent(const json_t *result, const json_t *phase)
{
	return host_cpu_ns(phase) / number(phase, "wall_ns") * 100;
}

static double cpu_ms_per_1000(const json_t *result, const json_t *phase)
{
	return host_cpu_ns(phase) / number(phase, "operations") * 1000 / NS_PER_MS;
}

/* ---- workloads ---- */

enum { GTOD_NS_PER_CALL, GTOD_CPU_NS_PER_CALL };
static const struct measure gtod_measures[] = {
	[GTOD_NS_PER_CALL] = {"ns_per_call", ns_per_call},
	[GTOD_CPU_NS_PER_CALL] = {"cpu_ns_per_call", cpu_ns_per_call},
	{"calls", operations},
	{"real_s", wall_s},
	{"user_s", user_s},
	{"sys_s", sys_s},
	{"exits_to_userspace", exits_to_userspace},
	{"exits_per_call", exits_per_call},
	{"kvm_exits_per_call", kvm_exits_per_call},
};

static const struct workload gtod = {
	.key = "gtod",
	.phase = "gtod.pmtimer.ring3",
	.rows = places,
	.row_count = PMTIMER_PLACES,
	.measures = gtod_measures,
	.measure_count = sizeof(gtod_measures) / sizeof(*gtod_measures),
	.ratio_of = GTOD_CPU_NS_PER_CALL,
};

enum { IOTICK_CPU_PER_1000, IOTICK_NS_PER_IO };
static const struct measure iotick_measures[] = {
	[IOTICK_CPU_PER_1000] = {"cpu_ms_per_1000_ios", cpu_ms_per_1000},
	[IOTICK_NS_PER_IO] = {"ns_per_io", ns_per_call},
	{"ios", operations},
	{"ios_per_s", ios_per_s},
	{"timer_reads_per_s", timer_reads_per_s},
	{"host_cpu_percent", host_cpu_percent},
};

static struct workload iotick_on(const char *const *disk)
{
	return (struct workload){
		.key = "iotick",
		.phase = "iotick",
		.rows = places,
		.row_count = PMTIMER_PLACES,
		.options = disk,
		.measures = iotick_measures,
		.measure_count = sizeof(iotick_measures) / sizeof(*iotick_measures),
		.ratio_of = IOTICK_CPU_PER_1000,
	};
}

/* Two digits, so that a table of another day is like to have the same. */
static uint64_t rounded(double calls)
{
	uint64_t unit = 1, count;

	if (calls < CALLS_MIN)
		return CALLS_MIN;
	count = calls < CALLS_MAX ? (uint64_t)calls : CALLS_MAX;
	while (count / unit >= 100)
		unit *= 10;
	return count / unit * unit;
}

/*
 * Calls of a run, for all runs to take about so long together, if none is much slower than
 * the first row. Where that row cannot run, there is no telling. -1: a usage error.
 */
static int calls_for(const struct workload *workload, const char *probe, unsigned measure,
		     double total_ns, const struct repro_options *options, uint64_t *calls,
		     struct error *e)
{
	char why[240];
	double ns = workload_probe(workload, 0, probe, options, measure, why, e);

	*calls = CALLS_MIN;
	if (isfinite(ns))
		*calls = rounded(total_ns / (ns * workload->row_count * options->repeat));
	return e->text[0] ? -1 : 0;
}

static int run_gtod(const struct repro_options *options, json_t *report, struct error *e)
{
	static const char format[] = "app=gtod clock=pmtimer ring=3 batches=1 n=%llu";
	char cmdline[80];
	uint64_t calls = options->calls;

	snprintf(cmdline, sizeof(cmdline), format, (unsigned long long)GTOD_PROBE_CALLS);
	if (!calls && calls_for(&gtod, cmdline, GTOD_NS_PER_CALL, GTOD_NS, options, &calls, e))
		return -1;
	snprintf(cmdline, sizeof(cmdline), format, (unsigned long long)calls);
	return workload_run(&gtod, cmdline, options, report, e);
}

/* The image is the disk, too. As many requests as fit the time, but never more than calls. */
static int run_iotick(const struct repro_options *options, json_t *report, struct error *e)
{
	static const char format[] = "app=iotick n=%llu";
	const char *disk[] = {"--disk", options->image, NULL};
	struct workload iotick = iotick_on(disk);
	char cmdline[80];
	uint64_t requests;

	snprintf(cmdline, sizeof(cmdline), format, (unsigned long long)IOTICK_PROBE_CALLS);
	if (calls_for(&iotick, cmdline, IOTICK_NS_PER_IO, IOTICK_NS, options, &requests, e))
		return -1;
	if (options->calls && options->calls < requests)
		requests = options->calls;
	snprintf(cmdline, sizeof(cmdline), format, (unsigned long long)requests);
	return workload_run(&iotick, cmdline, options, report, e);
}

static int run(const struct repro_options *options, json_t *report, struct error *e)
{
	if (run_gtod(options, report, e) || run_iotick(options, report, e))
		return -1;
	return pmtimer_judge(report) ? error_set(e, TK_EXIT_FAIL, "out of memory for the report")
				     : 0;
}

const struct repro_scenario repro_pmtimer = {
	.name = "pmtimer",
	.what = "where the ACPI PM timer is served (kvm list, 2010)",
	.run = run,
	.print = pmtimer_print,
};
