/* The tables of thread 000, as it had them and a little more. */
#include "pmtimer.h"

#include "../report/report.h"
#include "../report/summary_parts.h"
#include "verdict.h"
#include "workload_print.h"

static const struct workload_column gtod_columns[] = {
	{"calls", "calls", true},
	{"real s", "real_s", false},
	{"user s", "user_s", false},
	{"sys s", "sys_s", false},
	{"ns/call", "ns_per_call", false},
	{"CPU ns/call", "cpu_ns_per_call", false},
	{"user exits/call", "exits_per_call", false},
	{"KVM exits/call", "kvm_exits_per_call", false},
	{"ratio", "ratio", false},
	{NULL, NULL, false},
};

static const struct workload_column iotick_columns[] = {
	{"I/Os", "ios", true},
	{"I/Os/s", "ios_per_s", false},
	{"timer reads/s", "timer_reads_per_s", false},
	{"host CPU %", "host_cpu_percent", false},
	{"CPU ms/1000 I/Os", "cpu_ms_per_1000_ios", false},
	{"ratio", "ratio", false},
	{NULL, NULL, false},
};

static void print_head(const json_t *report, FILE *out)
{
	fputs("thread 000: the ACPI PM timer served in userspace, in KVM, without an exit\n", out);
	print_host(report, out);
	if (repro_host_interprets(report))
		fputs("note     guest ring 0 is interpreted here, some 1000 times slower than it "
		      "is, and\n"
		      "         KVM counts its pauses as exits: compare rows of the same "
		      "instructions only\n"
		      "         (user, kernel); what exitless gains is for other hosts, or the "
		      "lab, to say\n",
		      out);
	fputc('\n', out);
}

void pmtimer_print(const json_t *report, FILE *out)
{
	print_head(report, out);
	fprintf(out, "gettimeofday() in a loop, from ring 3: median of %lld, in turns\n",
		integer_of(report, "repeat"));
	workload_print(json_object_get(report, "gtod"), "PM timer", gtod_columns, "ns_per_call",
		       out);
	fprintf(out, "block I/O, the timer read 15,000 times a second: median of %lld, in turns\n",
		integer_of(report, "repeat"));
	workload_print(json_object_get(report, "iotick"), "PM timer", iotick_columns,
		       "cpu_ms_per_1000_ios", out);
	fputs("ratio: CPU time of the first row over this row's, round by round\n", out);
	print_verdict(report, out, summary_wants_colour(out));
}
