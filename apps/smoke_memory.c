/*
 * smoke: RAM as the boot loader tells it, the heap on it, and newlib.
 */
#include "smoke.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bootinfo.h"
#include "kernel/memory.h"

static enum verdict ram_range(void)
{
	const struct bootinfo *b = bootinfo();

	EXPECT(b->ram_start < b->ram_end, "RAM from %#lx to %#lx", b->ram_start, b->ram_end);
	EXPECT(b->ram_total >= b->ram_end - b->ram_start, "RAM in all %#lx, bound %#lx",
	       b->ram_total, b->ram_end - b->ram_start);
	EXPECT(b->ram_start <= heap_start() && heap_limit() < b->ram_end,
	       "heap from %#lx to %#lx, RAM from %#lx to %#lx", heap_start(), heap_limit(),
	       b->ram_start, b->ram_end);
	return PASS;
}

/* Addresses as content: two pages that are one show. At most 64 probes between break and limit. */
static enum verdict ram_content(void)
{
	uint64_t first = (heap_break() + 15) & ~UINT64_C(15);
	uint64_t step = ((heap_limit() - first) / 64) & ~UINT64_C(15);

	for (uint64_t i = 0; i < 64; i++)
		*(volatile uint64_t *)(first + i * step) = first + i * step;
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t seen = *(volatile uint64_t *)(first + i * step);

		EXPECT(seen == first + i * step, "at %#lx: measured %#lx, bound %#lx",
		       first + i * step, seen, first + i * step);
	}
	return PASS;
}

/*
 * Blocks of different sizes, one resized, keep their bytes and do not overlap.
 * Volatile: the compiler believes in malloc, and would not look.
 */
static enum verdict blocks(void)
{
	unsigned char *volatile block[8];

	for (unsigned i = 0; i < 8; i++) {
		block[i] = malloc(16u << i);
		EXPECT(block[i] && (uint64_t)block[i] % 16 == 0, "malloc(%u) returned %p", 16u << i,
		       (void *)block[i]);
		block[i][0] = block[i][(16u << i) - 1] = (unsigned char)(0xa0 + i);
	}
	block[0] = realloc(block[0], 4096);
	EXPECT(block[0], "realloc(4096) returned NULL");
	for (unsigned i = 0; i < 8; i++) {
		EXPECT(block[i][0] == 0xa0 + i && block[i][(16u << i) - 1] == 0xa0 + i,
		       "block of %u bytes changed", 16u << i);
		free(block[i]);
	}
	return PASS;
}

static enum verdict sbrk_limit(void)
{
	uint64_t old = heap_break();
	void *returned;

	errno = 0;
	returned = sbrk((ptrdiff_t)(heap_limit() - old + 1));
	EXPECT(returned == (void *)-1 && errno == ENOMEM, "returned %p, errno %d, bound -1, %d",
	       returned, errno, ENOMEM);
	EXPECT(heap_break() == old, "break %#lx, bound %#lx", heap_break(), old);
	return PASS;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static enum verdict newlib(void)
{
	int numbers[] = {5, -1, 9, 2, 7};
	char text[48], *end;

	snprintf(text, sizeof(text), "%d %04x %s %lu", -12, 0xbe, "tick", UINT64_MAX);
	EXPECT(!strcmp(text, "-12 00be tick 18446744073709551615"), "snprintf wrote \"%s\"", text);
	EXPECT(strtol("-0x7fz", &end, 0) == -0x7f && *end == 'z', "strtol stops at \"%s\"", end);
	errno = 0;
	EXPECT(strtoul("18446744073709551616", NULL, 10) == UINT64_MAX && errno == ERANGE,
	       "strtoul past the end: errno %d, bound %d", errno, ERANGE);
	qsort(numbers, 5, sizeof(*numbers), compare_ints);
	for (unsigned i = 1; i < 5; i++)
		EXPECT(numbers[i - 1] < numbers[i], "qsort left %d before %d", numbers[i - 1],
		       numbers[i]);
	return PASS;
}

const struct smoke_check smoke_memory_checks[] = {
	{"RAM range holds the heap", ram_range},
	{"RAM keeps what is written", ram_content},
	{"malloc, realloc and free keep blocks apart", blocks},
	{"sbrk stops at its limit", sbrk_limit},
	{"newlib: snprintf, strtol, qsort, errno", newlib},
	{NULL, NULL},
};
