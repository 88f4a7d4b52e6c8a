/* Tables of a workload's rows: see workload_print.h. */
#include "workload_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../report/quantity.h"
#include "../report/summary_parts.h"
#include "../report/table.h"
#include "workload.h"

static unsigned count_columns(const struct workload_column *columns)
{
	unsigned count = 0;

	while (columns[count].heading)
		count++;
	return count;
}

static void figure_cell(struct table *table, const json_t *row,
			const struct workload_column *column)
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

static void row_cells(struct table *table, const json_t *row, const struct workload_column *columns,
		      const char *range_of)
{
	table_cell(table, "%s", text_of(row, "name"));
	for (; columns->heading; columns++) {
		figure_cell(table, row, columns);
		if (!strcmp(columns->key, range_of))
			range_cell(table, row, columns->key);
	}
}

static struct table make_table(const json_t *rows, const char *corner,
			       const struct workload_column *columns, const char *range_of)
{
	struct table table;
	const json_t *row;
	size_t i;

	table_init(&table, count_columns(columns) + 2); /* the name, and the range */
	table_cell(&table, "%s", corner);
	for (const struct workload_column *column = columns; column->heading; column++) {
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

void workload_print(const json_t *rows, const char *corner, const struct workload_column *columns,
		    const char *range_of, FILE *out)
{
	struct table table = make_table(rows, corner, columns, range_of);
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
