/*
 * heap: sbrk's rules, malloc on all CPUs, errno per CPU (BC-27).
 *
 * sbrk is that of SVr4: the old break returned, or -1 with ENOMEM and nothing
 * changed.
 */
#include "apps.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "heap.h"
#include "kernel/ktap.h"
#include "kernel/memory.h"
#include "kernel/smp.h"

const struct app_key heap_keys[] = {
	{"n", "malloc, realloc and free calls a CPU, 1 to 10000000 (400)"},
	{NULL, NULL},
};

#define SBRK_FAILED ((void *)-1)

/* What a move of the break did. Printing may allocate: all moves first, then the verdicts. */
struct move {
	ptrdiff_t bytes;
	void *returned;
	int error;
	char *after;
};

/* Moves from `from` on, notes what came of it, and puts the break back to `old`. */
static struct move try_move(char *from, ptrdiff_t bytes, char *old)
{
	struct move m = {.bytes = bytes};

	heap_move((ptrdiff_t)((uint64_t)from - heap_break()));
	errno = 0;
	m.returned = sbrk(bytes);
	m.error = errno;
	m.after = (char *)heap_break();
	heap_move((ptrdiff_t)((uint64_t)old - heap_break()));
	return m;
}

static void expect_moved(const char *name, const struct move *m, char *from)
{
	ktap_note("%s: measured %p, break then %p; bound %p, %p", name, m->returned, m->after, from,
		  from + m->bytes);
	ktap_result(m->returned == from && m->after == from + m->bytes, "%s", name);
}

static void expect_refused(const char *name, const struct move *m, char *from)
{
	ktap_note("%s: measured %p, errno %d, break then %p; bound %p, %d, %p", name, m->returned,
		  m->error, m->after, SBRK_FAILED, ENOMEM, from);
	ktap_result(m->returned == SBRK_FAILED && m->error == ENOMEM && m->after == from, "%s",
		    name);
}

#define SBRK_CHECKS 8
static void check_sbrk(void)
{
	char *old = (char *)heap_break(), *up = old + PAGE_SIZE;
	char *start = (char *)heap_start(), *limit = (char *)heap_limit();
	struct move query = try_move(old, 0, old);
	struct move grow = try_move(old, PAGE_SIZE, old);
	struct move shrink = try_move(up, -PAGE_SIZE, old);
	struct move to_start = try_move(old, start - old, old);
	struct move below = try_move(old, start - old - 1, old);
	struct move to_limit = try_move(old, limit - old, old);
	struct move above = try_move(old, limit - old + 1, old);
	struct move overflow = try_move(old, PTRDIFF_MAX, old);

	expect_moved("sbrk(0) is a pure query", &query, old);
	expect_moved("sbrk returns the old break", &grow, old);
	expect_moved("sbrk takes memory back", &shrink, up);
	expect_moved("sbrk reaches the heap's start", &to_start, old);
	expect_refused("sbrk stops at the heap's start", &below, old);
	expect_moved("sbrk reaches the limit", &to_limit, old);
	expect_refused("sbrk stops at the limit", &above, old);
	expect_refused("sbrk stops at the end of the address space", &overflow, old);
}

/* Pages come off the end of the range: the lowest bounds the heap, a guard page between. */
static void check_guard(void)
{
	uint64_t lowest = (uint64_t)page_alloc(1);

	check_at_least("the limit stays a page below any stack", lowest - heap_limit(), PAGE_SIZE);
}

/* Volatile: the compiler believes in malloc's alignment. */
static void check_alignment(void)
{
	void *volatile p;
	unsigned misaligned = 0;

	for (unsigned size = 1; size <= 64; size++) {
		p = malloc(size);
		if (!p || (uint64_t)p % 16)
			misaligned++;
		free(p);
	}
	check_equal("malloc aligns to 16 bytes: misaligned", misaligned, 0);
}

/*
 * Memory is used up by pieces of a 32nd of what is left; then one is given back.
 * Without a limit there is no 34th piece missing, and the first check fails.
 */
#define EXHAUSTION_CHECKS 2
static void check_exhaustion(void)
{
	const char *name = "malloc stops when memory is used up";
	void *pieces[64], *again = NULL;
	size_t size = (heap_limit() - heap_break()) / 32;
	unsigned n = 0;

	while (n < 64 && (pieces[n] = malloc(size)))
		n++;
	if (n > 0) {
		free(pieces[n / 2]);
		again = pieces[n / 2] = malloc(size);
	}
	for (unsigned i = 0; i < n; i++)
		free(pieces[i]);
	ktap_note("%s: measured %u pieces of 1/32, bound 1 to 33", name, n);
	ktap_result(n >= 1 && n <= 33, "%s", name);
	ktap_result(again != NULL, "one free makes malloc work again");
}

int heap_main(void)
{
	unsigned n = app_number("n", 400, 1, 10000000);

	ktap_begin(SBRK_CHECKS + 1 + 1 + EXHAUSTION_CHECKS + HEAP_CPU_CHECKS);
	smp_start();
	check_sbrk();
	check_guard();
	check_alignment();
	check_exhaustion();
	heap_check_cpus(n);
	return ktap_end();
}
