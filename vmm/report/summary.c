/*
 * The human summary of a result object: see report.h. What failed comes first in
 * its list and the verdict last, where a terminal leaves the eye.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quantity.h"
#include "report.h"
#include "summary_parts.h"

const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

json_int_t integer_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* "guest    build/tickvm.iso, revision 1a2b3c4, app=smoke" */
static void print_guest(const json_t *result, FILE *out)
{
	const json_t *guest = json_object_get(result, "guest");
	const char *image = text_of(guest, "image");
	const char *revision = text_of(guest, "revision");
	const char *cmdline = text_of(guest, "cmdline");

	fprintf(out, SUMMARY_HEADING "%s%s%s%s%s\n", "guest", image[0] ? image : "unknown image",
		revision[0] ? ", revision " : "", revision, cmdline[0] ? ", " : "", cmdline);
}

void print_host(const json_t *result, FILE *out)
{
	const json_t *host = json_object_get(result, "host");
	const json_t *load = json_array_get(json_object_get(host, "load"), 0);

	if (!json_is_object(host))
		return;
	fprintf(out, SUMMARY_HEADING "%s, %s, %lld CPUs, load %.2f, Linux %s\n", "host",
		text_of(host, "kind"), text_of(host, "cpu"), integer_of(host, "cpus"),
		json_number_value(load), text_of(host, "kernel"));
}

/* What was chosen of the machine that bears on its figures. */
static void print_machine(const json_t *result, FILE *out)
{
	const json_t *options = json_object_get(result, "options");

	if (!json_is_object(options))
		return;
	fprintf(out, SUMMARY_HEADING "%lld CPU%s, %lld MiB, irqchip %s, pmtimer %s\n", "machine",
		integer_of(options, "cpus"), integer_of(options, "cpus") == 1 ? "" : "s",
		integer_of(options, "mem_bytes") >> 20, text_of(options, "irqchip"),
		text_of(options, "pmtimer"));
}

static void print_cpu(const json_t *result, FILE *out)
{
	const json_t *cpu = json_object_get(result, "cpu_ns");

	fprintf(out, SUMMARY_HEADING "vCPUs %s user, %s system; VMM %s user, %s system\n", "CPU",
		quantity_time(number_of(cpu, "vcpu_user")).text,
		quantity_time(number_of(cpu, "vcpu_system")).text,
		quantity_time(number_of(cpu, "vmm_user")).text,
		quantity_time(number_of(cpu, "vmm_system")).text);
}

static void print_times(const json_t *result, FILE *out)
{
	const json_t *times = json_object_get(result, "times_ns");

	fprintf(out, SUMMARY_HEADING "set-up %s", "times",
		quantity_time(number_of(times, "setup")).text);
	if (integer_of(times, "boot"))
		fprintf(out, ", boot %s", quantity_time(number_of(times, "boot")).text);
	if (integer_of(result, "boot_instructions"))
		fprintf(out, " (%lld instructions)", integer_of(result, "boot_instructions"));
	fprintf(out, ", run %s, close %s\n", quantity_time(number_of(times, "run")).text,
		quantity_time(number_of(times, "close")).text);
}

static void print_memory(const json_t *result, FILE *out)
{
	const json_t *memory = json_object_get(result, "memory_kib");

	if (!integer_of(memory, "max_rss"))
		return;
	fprintf(out, SUMMARY_HEADING "%lld KiB resident", "memory", integer_of(memory, "max_rss"));
	if (integer_of(memory, "besides_ram"))
		fprintf(out, ", %lld KiB besides guest RAM", integer_of(memory, "besides_ram"));
	fputc('\n', out);
}

static void print_notes(const json_t *result, FILE *out)
{
	const json_t *note;
	size_t i;

	json_array_foreach (json_object_get(result, "notes"), i, note) {
		fprintf(out, SUMMARY_HEADING "%s\n", "note", json_string_value(note));
	}
}

static const char *colour_of(const char *status)
{
	if (!strcmp(status, "pass"))
		return "\033[1;32m";
	if (!strcmp(status, "skipped") || !strcmp(status, "inconclusive"))
		return "\033[1;33m";
	return "\033[1;31m";
}

void print_verdict(const json_t *result, FILE *out, bool colour)
{
	const json_t *verdict = json_object_get(result, "verdict");
	const json_t *host = json_object_get(result, "host");
	const char *status = text_of(verdict, "status");

	fputs(colour ? colour_of(status) : "", out);
	for (const char *p = status; *p; p++)
		fputc(toupper((unsigned char)*p), out);
	fputs(colour ? "\033[0m" : "", out);
	fprintf(out, "  %s", text_of(verdict, "reason"));
	if (json_is_object(host))
		fprintf(out, "  (host: %s)", text_of(host, "kind"));
	else if (text_of(result, "backend")[0])
		fprintf(out, "  (from %s)", text_of(result, "backend"));
	fputc('\n', out);
}

static void print_costs(const json_t *result, FILE *out, bool verbose)
{
	print_exits(result, out);
	print_kvm_stats(result, out, verbose);
	print_syscalls(result, out);
	print_cpu(result, out);
	print_times(result, out);
	print_memory(result, out);
	fputc('\n', out);
}

bool summary_wants_colour(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR");

	return isatty(fileno(out)) && (!no_colour || !no_colour[0]);
}

void summary_print(const json_t *result, FILE *out, bool verbose, bool colour)
{
	fputc('\n', out); /* the guest's own text ends above */
	print_guest(result, out);
	print_host(result, out);
	print_machine(result, out);
	print_checks(result, out, verbose);
	fputc('\n', out);
	print_metrics(result, out);
	print_phases(result, out);
	print_path_lengths(result, out, verbose);
	if (json_is_object(json_object_get(result, "cpu_ns")))
		print_costs(result, out, verbose);
	print_notes(result, out);
	print_verdict(result, out, colour);
}
