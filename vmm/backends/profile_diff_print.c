/* The difference of two results as tables: see profile_diff.h. */
#include <math.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/summary_parts.h"
#include "../report/table.h"
#include "profile_diff.h"

/* Changes besides the path that are shown: L1's timer interrupts move from run to run. */
#define SHOWN_BESIDES 0.5

static bool is_shown(const struct profile_change *symbol)
{
	double besides = symbol->in_all - (double)(symbol->after - symbol->before);

	return symbol->after != symbol->before || fabs(besides) >= SHOWN_BESIDES;
}

static void print_symbols(const struct phase_change *change, FILE *out)
{
	struct table table;

	table_init(&table, 6);
	table_cell(&table, "symbol");
	table_cell(&table, "of");
	table_cell(&table, "before");
	table_cell(&table, "after");
	table_cell(&table, "difference");
	table_cell(&table, "with besides");
	for (size_t i = 0; i < change->count; i++) {
		const struct profile_change *symbol = &change->symbols[i];

		if (!is_shown(symbol))
			continue;
		table_cell(&table, "%s", symbol->symbol);
		table_cell(&table, "%s", symbol->owner);
		table_cell(&table, "%lld", (long long)symbol->before);
		table_cell(&table, "%lld", (long long)symbol->after);
		table_cell(&table, "%+lld", (long long)(symbol->after - symbol->before));
		table_cell(&table, "%+.3f", symbol->in_all);
	}
	table_finish(&table, out);
}

/* What is_shown() leaves out, in one line. */
static void print_rest(const struct phase_change *change, FILE *out)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < change->count; i++) {
		const struct profile_change *symbol = &change->symbols[i];

		if (is_shown(symbol) || symbol->in_all == 0)
			continue;
		count++;
		sum += symbol->in_all;
	}
	if (count)
		fprintf(out,
			"  and %zu symbols that differ besides the path only: %+.3f together\n",
			count, sum);
}

static void print_phase(const char *name, const struct phase_change *change, FILE *out)
{
	bool shown = change->count && is_shown(&change->symbols[0]);

	fprintf(out, "%s: path length %lld before, %lld after, %+lld each operation\n", name,
		(long long)change->before, (long long)change->after,
		(long long)(change->after - change->before));
	if (shown)
		print_symbols(change, out);
	print_rest(change, out);
}

/* The phase of that name that comes as the `nth` of its name. */
static const json_t *find_phase(const json_t *result, const char *name, unsigned nth)
{
	const json_t *phase;
	size_t i;

	json_array_foreach (json_object_get(result, "phases"), i, phase) {
		if (!strcmp(text_of(phase, "name"), name) && nth-- == 0)
			return phase;
	}
	return NULL;
}

/* How many phases before index `end` have the name of that one: the app's rounds. */
static unsigned rounds_before(const json_t *phases, size_t end)
{
	const char *name = text_of(json_array_get(phases, end), "name");
	unsigned count = 0;

	for (size_t i = 0; i < end; i++)
		count += !strcmp(text_of(json_array_get(phases, i), "name"), name);
	return count;
}

int profile_diff(const json_t *before, const json_t *after, uint64_t limit, FILE *out,
		 struct error *e)
{
	const json_t *phases = json_object_get(before, "phases");
	unsigned compared = 0, longer = 0;
	const json_t *phase;
	size_t i;

	json_array_foreach (phases, i, phase) {
		const char *name = text_of(phase, "name");
		const json_t *other = find_phase(after, name, rounds_before(phases, i));
		struct phase_change change;

		if (!other)
			continue;
		if (phase_compare(phase, other, &change, e))
			return -1;
		print_phase(name, &change, out);
		longer += change.after - change.before > (int64_t)limit;
		compared++;
		phase_change_free(&change);
	}
	if (!compared)
		return error_set(e, TK_EXIT_USAGE, "the results have no phase in common");
	fprintf(out, "%u of %u phases have a path that is longer", longer, compared);
	if (limit)
		fprintf(out, " by more than %llu", (unsigned long long)limit);
	fputc('\n', out);
	return longer ? TK_EXIT_FAIL : TK_EXIT_PASS;
}
