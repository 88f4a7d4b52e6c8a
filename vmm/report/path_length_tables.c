/* The tables of path lengths and of their profiles: see backends/path_length.h. */
#include "summary_parts.h"
#include "table.h"

/* Rows of a profile that are shown unless all are asked for. */
#define PROFILE_ROWS 12

static const json_t *path_of(const json_t *phase)
{
	return json_object_get(json_object_get(phase, "per_operation"), "path_length");
}

/* What was executed besides the path of each operation, an operation's share. */
static double besides(const json_t *phase)
{
	json_int_t executed = integer_of(json_object_get(phase, "path_length"), "total");

	return (double)executed / number_of(phase, "operations") -
	       number_of(path_of(phase), "total");
}

static void phase_row(struct table *table, const json_t *phase)
{
	static const char *const parts[] = {"guest", "vmm", "kernel", "total"};

	table_cell(table, "%s", text_of(phase, "name"));
	table_cell(table, "%lld", integer_of(phase, "operations"));
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		table_cell(table, "%lld", integer_of(path_of(phase), parts[i]));
	table_cell(table, "%.2f", besides(phase));
}

static void print_lengths(const json_t *phases, FILE *out)
{
	static const char *const heads[] = {"path length", "operations", "guest",  "VMM",
					    "kernel",	   "total",	 "besides"};
	struct table table;
	const json_t *phase;
	size_t i;

	table_init(&table, sizeof(heads) / sizeof(*heads));
	for (i = 0; i < table.columns; i++)
		table_cell(&table, "%s", heads[i]);
	json_array_foreach (phases, i, phase) {
		if (json_is_object(path_of(phase)))
			phase_row(&table, phase);
	}
	table_finish(&table, out);
	fputc('\n', out);
}

/* The rest of a profile in one line. */
static void print_rest(const json_t *profile, size_t from, FILE *out)
{
	size_t count = json_array_size(profile);
	json_int_t instructions = 0, per_operation = 0;

	for (size_t i = from; i < count; i++) {
		const json_t *row = json_array_get(profile, i);

		instructions += integer_of(row, "instructions");
		per_operation += integer_of(row, "per_operation");
	}
	if (from < count)
		fprintf(out, "  and %zu symbols of fewer: %lld instructions, %lld each operation\n",
			count - from, (long long)instructions, (long long)per_operation);
}

static void print_profile(const json_t *phase, FILE *out, bool verbose)
{
	const json_t *profile = json_object_get(phase, "profile");
	size_t count = json_array_size(profile);
	struct table table;

	if (!count)
		return;
	if (!verbose && count > PROFILE_ROWS)
		count = PROFILE_ROWS;
	table_init(&table, 4);
	table_cell(&table, "%s", text_of(phase, "name"));
	table_cell(&table, "of");
	table_cell(&table, "instructions");
	table_cell(&table, "each operation");
	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(profile, i);

		table_cell(&table, "%s", text_of(row, "symbol"));
		table_cell(&table, "%s", text_of(row, "owner"));
		table_cell(&table, "%lld", integer_of(row, "instructions"));
		table_cell(&table, "%lld", integer_of(row, "per_operation"));
	}
	table_finish(&table, out);
	print_rest(profile, count, out);
	fputc('\n', out);
}

static bool has_path(const json_t *phases)
{
	const json_t *phase;
	size_t i;

	json_array_foreach (phases, i, phase) {
		if (json_is_object(path_of(phase)))
			return true;
	}
	return false;
}

void print_path_lengths(const json_t *result, FILE *out, bool verbose)
{
	const json_t *phases = json_object_get(result, "phases");
	const json_t *phase;
	size_t i;

	if (!has_path(phases))
		return;
	fprintf(out, SUMMARY_HEADING "%s: instructions that each operation executes\n", "judge",
		text_of(result, "judge"));
	print_lengths(phases, out);
	json_array_foreach (phases, i, phase) {
		print_profile(phase, out, verbose);
	}
}
