/* Subtraction of profiles: see profile_diff.h. */
#include "profile_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/summary_parts.h"

/* Both profiles in one list, joined by owner and symbol. */
struct join {
	struct phase_change *change;
	json_t *places; /* "OWNER SYMBOL" to index in the list */
};

static struct profile_change *change_of(struct join *join, const json_t *row)
{
	struct phase_change *change = join->change;
	struct profile_change *symbol;
	const json_t *place;
	char key[320];

	snprintf(key, sizeof(key), "%s %s", text_of(row, "owner"), text_of(row, "symbol"));
	place = json_object_get(join->places, key);
	if (place)
		return &change->symbols[json_integer_value(place)];
	if (json_object_set_new(join->places, key, json_integer((json_int_t)change->count)))
		return NULL;
	symbol = &change->symbols[change->count++];
	symbol->owner = text_of(row, "owner");
	symbol->symbol = text_of(row, "symbol");
	return symbol;
}

/* Adds one of the two phases, the later with sign 1. False: out of memory. */
static bool add_phase(struct join *join, const json_t *phase, int sign)
{
	double operations = number_of(phase, "operations");
	const json_t *row;
	size_t i;

	json_array_foreach (json_object_get(phase, "profile"), i, row) {
		struct profile_change *symbol = change_of(join, row);

		if (!symbol)
			return false;
		*(sign > 0 ? &symbol->after : &symbol->before) = integer_of(row, "per_operation");
		symbol->in_all += sign * number_of(row, "instructions") / operations;
	}
	return true;
}

static int by_change(const void *a, const void *b)
{
	const struct profile_change *x = a, *y = b;
	int64_t x_size = llabs(x->after - x->before), y_size = llabs(y->after - y->before);

	if (x_size != y_size)
		return x_size < y_size ? 1 : -1;
	if (fabs(x->in_all) != fabs(y->in_all))
		return fabs(x->in_all) < fabs(y->in_all) ? 1 : -1;
	return strcmp(x->symbol, y->symbol);
}

static int64_t path_of(const json_t *phase)
{
	const json_t *per_operation = json_object_get(phase, "per_operation");

	return integer_of(json_object_get(per_operation, "path_length"), "total");
}

int phase_compare(const json_t *before, const json_t *after, struct phase_change *change,
		  struct error *e)
{
	size_t before_rows = json_array_size(json_object_get(before, "profile"));
	size_t after_rows = json_array_size(json_object_get(after, "profile"));
	struct join join = {.change = change, .places = json_object()};
	bool joined;

	*change = (struct phase_change){.before = path_of(before), .after = path_of(after)};
	if (!before_rows || !after_rows || !integer_of(before, "operations") ||
	    !integer_of(after, "operations")) {
		json_decref(join.places);
		return error_set(e, TK_EXIT_USAGE,
				 "%s: no profile in both results (tickvm lab run --profile)",
				 text_of(before, "name"));
	}
	change->symbols = calloc(before_rows + after_rows, sizeof(*change->symbols));
	joined = change->symbols && add_phase(&join, before, -1) && add_phase(&join, after, 1);
	json_decref(join.places);
	if (!joined) {
		phase_change_free(change);
		return error_set(e, TK_EXIT_FAIL, "out of memory for the difference");
	}
	qsort(change->symbols, change->count, sizeof(*change->symbols), by_change);
	return 0;
}

void phase_change_free(struct phase_change *change)
{
	free(change->symbols);
	*change = (struct phase_change){0};
}
