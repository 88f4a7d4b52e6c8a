/* The table itself, whatever it was read from: see symbols.h. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

/* The array with room for `needed` elements, doubled as needed; NULL: out of memory. */
static void *grow(void *array, uint32_t *capacity, uint64_t needed, size_t size)
{
	uint64_t larger = *capacity ? *capacity : 1024;
	void *moved;

	if (needed <= *capacity)
		return array;
	while (larger < needed)
		larger *= 2;
	moved = larger <= UINT32_MAX ? realloc(array, larger * size) : NULL;
	if (moved)
		*capacity = (uint32_t)larger;
	return moved;
}

/* Offset of the name's copy; -1: out of memory. */
static int64_t add_name(struct symbols *symbols, const char *name, size_t length)
{
	char *names = grow(symbols->names, &symbols->names_capacity,
			   (uint64_t)symbols->names_size + length + 1, 1);
	uint32_t offset = symbols->names_size;

	if (!names)
		return -1;
	symbols->names = names;
	memcpy(names + offset, name, length);
	names[offset + length] = 0;
	symbols->names_size += (uint32_t)length + 1;
	return offset;
}

int symbols_add(struct symbols *symbols, struct symbol symbol, const char *name, size_t length,
		struct error *e)
{
	struct symbol *list = grow(symbols->list, &symbols->capacity, (uint64_t)symbols->count + 1,
				   sizeof(*list));
	int64_t offset;

	if (list)
		symbols->list = list;
	offset = list ? add_name(symbols, name, length) : -1;
	if (offset < 0)
		return error_set(e, TK_EXIT_FAIL, "out of memory for symbols");
	symbol.name = (uint32_t)offset;
	list[symbols->count++] = symbol;
	return 0;
}

static int by_address(const void *a, const void *b, void *names)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	return strcmp((char *)names + x->name, (char *)names + y->name);
}

void symbols_sort(struct symbols *symbols)
{
	uint32_t kept = 0;

	if (!symbols->count)
		return;
	qsort_r(symbols->list, symbols->count, sizeof(*symbols->list), by_address, symbols->names);
	for (uint32_t i = 1; i < symbols->count; i++) {
		if (symbols->list[i].address != symbols->list[kept].address)
			symbols->list[++kept] = symbols->list[i];
	}
	symbols->count = kept + 1;
}

void symbols_free(struct symbols *symbols)
{
	free(symbols->list);
	free(symbols->names);
	*symbols = (struct symbols){0};
}

const char *symbols_find(const struct symbols *symbols, uint64_t address)
{
	uint32_t low = 0, high = symbols->count; /* the first past the address is in [low, high] */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? symbols->names + symbols->list[low - 1].name : NULL;
}

bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *address)
{
	for (uint32_t i = 0; i < symbols->count; i++) {
		if (strcmp(symbols->names + symbols->list[i].name, name))
			continue;
		*address = symbols->list[i].address;
		return true;
	}
	return false;
}
