/* Reading the plugin's file: see path_length_counts.h. */
#include "path_length_counts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define HEAD "tickvm-counts 1\n"

static bool add_count(struct path_counts *counts, struct address_count count)
{
	if (counts->count == counts->capacity) {
		size_t capacity = counts->capacity ? 2 * counts->capacity : 4096;
		void *larger = realloc(counts->list, capacity * sizeof(*counts->list));

		if (!larger)
			return false;
		counts->list = larger;
		counts->capacity = capacity;
	}
	counts->list[counts->count++] = count;
	return true;
}

/* Notes where phase `phase_count` begins, or where the last one ends. */
static bool add_start(struct path_counts *counts)
{
	void *larger = realloc(counts->starts, (counts->phase_count + 1) * sizeof(*counts->starts));

	if (!larger)
		return false;
	counts->starts = larger;
	counts->starts[counts->phase_count] = counts->count;
	return true;
}

static int out_of_memory(struct error *e)
{
	return error_set(e, TK_EXIT_FAIL, "out of memory for the counts");
}

/* 1: the last line; 0: there are more; -1: neither. */
static int take_line(struct path_counts *counts, const char *line, const char *name,
		     struct error *e)
{
	struct address_count count;
	unsigned number;

	if (sscanf(line, "phase %u", &number) == 1 && number == counts->phase_count) {
		if (!add_start(counts))
			return out_of_memory(e);
		counts->phase_count++;
		return 0;
	}
	if (sscanf(line, "end %u", &number) == 1 && number == counts->phase_count)
		return add_start(counts) ? 1 : out_of_memory(e);
	if (counts->phase_count &&
	    sscanf(line, "%" SCNx64 " %" SCNu64, &count.address, &count.count) == 2)
		return add_count(counts, count) ? 0 : out_of_memory(e);
	return error_set(e, TK_EXIT_FAIL, "%s: not a line of counts: %.*s", name,
			 (int)strcspn(line, "\n"), line);
}

int path_counts_read(FILE *file, const char *name, struct path_counts *counts, struct error *e)
{
	char line[128];
	int ended = 0;

	*counts = (struct path_counts){0};
	if (!fgets(line, sizeof(line), file) || strcmp(line, HEAD))
		return error_set(e, TK_EXIT_FAIL, "%s: is not a file of counts", name);
	while (!ended && fgets(line, sizeof(line), file))
		ended = take_line(counts, line, name, e);
	if (!ended)
		error_set(e, TK_EXIT_FAIL, "%s: no end: the emulator did not leave in good order",
			  name);
	if (ended > 0)
		return 0;
	path_counts_free(counts);
	return -1;
}

void path_counts_free(struct path_counts *counts)
{
	free(counts->list);
	free(counts->starts);
	*counts = (struct path_counts){0};
}
