/* The tables of thread 000, as it had them and a little more. */
#include "pmtimer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../report/quantity.h"
#include "../report/report.h"
#include "../report/summary_parts.h"
#include "../report/table.h"
#include "workload.h"

struct column {
	const char *heading, *key;
	bool is_count; /* printed as it is, to the last digit */
};

static const struct column gtod_columns[] = {
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

static const struct column iotick_columns[] = {
	{"I/Os", "ios", true},
	{"I/Os/s", "ios_per_s", false},
	{"timer reads/s", "timer_reads_per_s", false},
	{"host CPU %", "host_cpu_percent", false},
	{"CPU ms/1000 I/Os", "cpu_ms_per_1000_ios", false},
	{"ratio", "ratio", false},
	{NULL, NULL, false},
};

static unsigned count_columns(const struct column *columns)
{
	unsigned count = 0;

	while (columns[count].heading)
		count++;
	return count;
}

static void figure_cell(struct table *table, const json_t *row, const struct column *column)
{
	double median = row_figure(row, column->key, "median");

	if (!isfinite(median))
		table_cell(table, "-");
	else if (column->is_count)
		table_cell(table, "%.0f", median);
	else
		table_cell(table, "%s", quantity_number(median).text);
}

/* From the least round to the most: "180.1-190.2". */
static void range_cell(struct table *table, const json_t *row, const char *key)
{
	table_cell(table, "%s-%s", quantity_number(row_figure(row, key, "min")).text,
		   quantity_number(row_figure(row, key, "max")).text);
}

static void row_cells(struct table *table, const json_t *row, const struct column *columns,
		      const char *range_of)
{
	table_cell(table, "%s", text_of(row, "name"));
	for (; columns->heading; columns++) {
		figure_cell(table, row, columns);
		if (!strcmp(columns->key, range_of))
			range_cell(table, row, columns->key);
	}
}

static struct table make_table(const json_t *rows, const struct column *columns,
			       const char *range_of)
{
	struct table table;
	const json_t *row;
	size_t i;

	table_init(&table, count_columns(columns) + 2); /* the name, and the range */
	table_cell(&table, "PM timer");
	for (const struct column *column = columns; column->heading; column++) {
		table_cell(&table, "%s", column->heading);
		if (!strcmp(column->key, range_of))
			table_cell(&table, "min-max");
	}
	json_array_foreach (rows, i, row) {
		if (row_is_ok(row))
			row_cells(&table, row, columns, range_of);
	}
	return table;
}

static int name_width(const json_t *rows)
{
	size_t width = 0, i;
	const json_t *row;

	json_array_foreach (rows, i, row) {
		if (strlen(text_of(row, "name")) > width)
			width = strlen(text_of(row, "name"));
	}
	return (int)width;
}

/* The table's lines in the order of the rows: one that did not run says why in its place. */
static void print_lines(const json_t *rows, char *lines, FILE *out)
{
	const char *line = strtok(lines, "\n");
	const json_t *row;
	size_t i;

	fprintf(out, "%s\n", line ? line : "");
	json_array_foreach (rows, i, row) {
		if (row_is_ok(row)) {
			line = strtok(NULL, "\n");
			fprintf(out, "%s\n", line ? line : "");
		} else {
			fprintf(out, "  %-*s  %s: %s\n", name_width(rows), text_of(row, "name"),
				text_of(row, "status"), text_of(row, "reason"));
		}
	}
	fputc('\n', out);
}

static void print_rows(const json_t *rows, const struct column *columns, const char *range_of,
		       FILE *out)
{
	struct table table = make_table(rows, columns, range_of);
	char *lines = NULL;
	size_t size;
	FILE *memory = open_memstream(&lines, &size);

	if (!memory)
		return;
	table_finish(&table, memory);
	fclose(memory);
	print_lines(rows, lines, out);
	free(lines);
}

static void print_head(const json_t *report, FILE *out)
{
	fputs("thread 000: the ACPI PM timer served in userspace, in KVM, without an exit\n", out);
	print_host(report, out);
	if (pmtimer_host_interprets(report))
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
	print_rows(json_object_get(report, "gtod"), gtod_columns, "ns_per_call", out);
	fprintf(out, "block I/O, the timer read 15,000 times a second: median of %lld, in turns\n",
		integer_of(report, "repeat"));
	print_rows(json_object_get(report, "iotick"), iotick_columns, "cpu_ms_per_1000_ios", out);
	fputs("ratio: CPU time of the first row over this row's, round by round\n", out);
	print_verdict(report, out, summary_wants_colour(out));
}
