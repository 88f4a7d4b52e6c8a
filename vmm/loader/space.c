/* Taken ranges of guest memory, first fit: see space.h. */
#include "space.h"

#include <stddef.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define PAGE_BYTES     4096
#define INFO_ALIGNMENT 8
#define INFO_BASE      0x10000 /* above where a kernel may start its other CPUs */

void space_init(struct space *space, uint64_t ram_end)
{
	*space = (struct space){
		.end = ram_end,
		.taken = {{0, PAGE_BYTES, "page zero"},
			  {SPACE_CONVENTIONAL_END, SPACE_EXTENDED_BASE,
			   "the firmware and ACPI area"}},
		.count = 2,
	};
}

const struct space_range *space_overlap(const struct space *space, uint64_t start, uint64_t length)
{
	for (unsigned i = 0; i < space->count; i++) {
		const struct space_range *range = &space->taken[i];

		if (length && start < range->end && range->start < start + length)
			return range;
	}
	return NULL;
}

int space_take(struct space *space, uint64_t start, uint64_t length, const char *name,
	       struct error *e)
{
	if (!length)
		return 0;
	if (space->count == SPACE_RANGES_MAX)
		return error_set(e, TK_EXIT_USAGE, "more than %u parts to load", SPACE_RANGES_MAX);
	space->taken[space->count++] = (struct space_range){start, start + length, name};
	return 0;
}

int space_place(struct space *space, uint64_t from, uint64_t to, uint64_t length,
		uint64_t alignment, const char *name, uint64_t *address, struct error *e)
{
	uint64_t limit = to < space->end ? to : space->end;
	uint64_t start = from;
	const struct space_range *range;

	/* Each turn steps past one taken range, so there are at most `count`. */
	for (;;) {
		start = (start + alignment - 1) & -alignment;
		if (start > limit || length > limit - start)
			return error_set(e, TK_EXIT_USAGE,
					 "%s: no room for %llu bytes below 0x%llx (see --mem)",
					 name, (unsigned long long)length,
					 (unsigned long long)limit);
		range = space_overlap(space, start, length);
		if (!range)
			break;
		start = range->end;
	}
	*address = start;
	return space_take(space, start, length, name, e);
}

uint64_t space_top(const struct space *space)
{
	uint64_t top = 0;

	for (unsigned i = 0; i < space->count; i++) {
		if (space->taken[i].end > top)
			top = space->taken[i].end;
	}
	return top;
}

int space_place_info(struct space *space, uint64_t length, uint64_t *address, struct error *e)
{
	static const char name[] = "the boot information";

	if (!space_place(space, INFO_BASE, SPACE_CONVENTIONAL_END, length, INFO_ALIGNMENT, name,
			 address, e))
		return 0;
	return space_place(space, space_top(space), space->end, length, INFO_ALIGNMENT, name,
			   address, e);
}
