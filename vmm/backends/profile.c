/* From counts by address to counts by symbol: see profile.h. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

uint64_t path_split_total(const struct path_split *split)
{
	uint64_t total = 0;

	for (unsigned owner = 0; owner < OWNERS; owner++)
		total += split->of[owner];
	return total;
}

/* The integer next to count / operations. */
static uint64_t times_each(uint64_t count, uint64_t operations)
{
	if (!operations)
		return 0;
	return count / operations + (count % operations >= operations - operations / 2);
}

static int by_symbol(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return x->owner != y->owner ? (int)x->owner - (int)y->owner : strcmp(x->symbol, y->symbol);
}

static int by_instructions(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions < y->instructions ? 1 : -1;
	return by_symbol(a, b);
}

/* One row a symbol, of rows that are sorted by symbol. Returns how many. */
static size_t merge(struct profile_row *rows, size_t count)
{
	size_t last = 0;

	for (size_t i = 1; i < count; i++) {
		if (by_symbol(&rows[last], &rows[i])) {
			rows[++last] = rows[i];
			continue;
		}
		rows[last].instructions += rows[i].instructions;
		rows[last].per_operation += rows[i].per_operation;
	}
	return count ? last + 1 : 0;
}

static void sum_up(struct profile *profile)
{
	for (size_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		profile->executed.of[row->owner] += row->instructions;
		profile->per_operation.of[row->owner] += row->per_operation;
	}
}

int profile_make(const struct address_count *list, size_t count, uint64_t operations,
		 const struct path_owners *owners, struct profile *profile)
{
	struct profile_row *rows = calloc(count + 1, sizeof(*rows));

	*profile = (struct profile){.rows = rows};
	if (!rows)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct profile_row *row = &rows[i];

		row->symbol = path_owners_find(owners, list[i].address, &row->owner);
		row->instructions = list[i].count;
		row->per_operation = times_each(list[i].count, operations);
	}
	qsort(rows, count, sizeof(*rows), by_symbol);
	profile->count = merge(rows, count);
	qsort(rows, profile->count, sizeof(*rows), by_instructions);
	sum_up(profile);
	return 0;
}

void profile_free(struct profile *profile)
{
	free(profile->rows);
	*profile = (struct profile){0};
}
