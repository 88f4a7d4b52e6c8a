/*
 * heap on every CPU: newlib's malloc lock nests (realloc calls malloc under it) and
 * excludes other CPUs, blocks keep their content while all CPUs allocate, and
 * errno is each CPU's own (newlib's struct _reent).
 */
#include "heap.h"

#include <errno.h>
#include <reent.h>
#include <stdlib.h>

#include "check.h"
#include "cpus.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"

/* newlib's, which no public header declares. */
void __malloc_lock(struct _reent *reent);
void __malloc_unlock(struct _reent *reent);

/* What the other CPU tells in the test of the lock. */
static volatile bool contender_started, contender_done;

/* The block is kept in sight of the compiler, which may drop a malloc() just freed. */
static void contend(void *argument)
{
	static void *volatile block;

	contender_started = true;
	block = malloc(64);
	free(block);
	contender_done = true;
}

/* Waits long enough for the other CPU to allocate, if nothing stops it. */
static bool contender_passes(void)
{
	for (unsigned i = 0; i < 5000 && !contender_done; i++)
		cpu_pause();
	return contender_done;
}

/* Taken twice, the lock must exclude another CPU until it has been given back twice. */
static void check_nesting(void)
{
	const char *name = "the malloc lock nests and excludes";
	bool twice, once;

	if (smp_online() < 2) {
		ktap_skip(name, "one CPU");
		return;
	}
	__malloc_lock(_REENT);
	__malloc_lock(_REENT);
	cpu_call(1, contend, NULL);
	while (!contender_started)
		cpu_pause();
	twice = contender_passes();
	__malloc_unlock(_REENT);
	once = contender_passes();
	__malloc_unlock(_REENT);
	cpu_wait(1);
	ktap_note("%s: another CPU got in at depth 2, 1, 0: measured %d %d %d, bound 0 0 1", name,
		  twice, once, contender_done);
	ktap_result(!twice && !once && contender_done, "%s", name);
}

/*
 * Each CPU keeps a few blocks, every word of which says whose it is and where it
 * belongs, and at random makes, resizes or frees one.
 */
#define BLOCKS	  16
#define WORDS_MAX 32
struct worker {
	uint64_t *block[BLOCKS];
	unsigned words[BLOCKS];
	uint32_t random;
	uint64_t mismatches, refused;
};
static struct worker workers[CPUS_MAX];

static uint64_t word_of(unsigned slot, unsigned index)
{
	return (uint64_t)cpu_index() << 32 | slot << 16 | index;
}

/* Numerical Recipes' linear congruential generator; its high bits are the good ones. */
static unsigned random_below(struct worker *w, unsigned bound)
{
	w->random = w->random * 1664525 + 1013904223;
	return (w->random >> 16) % bound;
}

static void check_words(struct worker *w, unsigned slot, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		w->mismatches += w->block[slot][i] != word_of(slot, i);
}

/* realloc() of a null block is malloc(). */
static void resize_block(struct worker *w, unsigned slot)
{
	unsigned old = w->words[slot], words = 1 + random_below(w, WORDS_MAX);
	uint64_t *block = realloc(w->block[slot], words * sizeof(*block));

	if (!block) {
		w->refused++;
		return;
	}
	w->block[slot] = block;
	w->words[slot] = words;
	check_words(w, slot, old < words ? old : words);
	for (unsigned i = old; i < words; i++)
		block[i] = word_of(slot, i);
}

static void free_block(struct worker *w, unsigned slot)
{
	check_words(w, slot, w->words[slot]);
	free(w->block[slot]);
	w->block[slot] = NULL;
	w->words[slot] = 0;
}

static void allocate_at_random(void *argument)
{
	unsigned n = *(const unsigned *)argument;
	struct worker *w = &workers[cpu_index()];

	w->random = 1 + cpu_index();
	while (n--) {
		unsigned slot = random_below(w, BLOCKS);

		if (w->block[slot] && random_below(w, 2))
			free_block(w, slot);
		else
			resize_block(w, slot);
	}
	for (unsigned slot = 0; slot < BLOCKS; slot++)
		free_block(w, slot);
}

#define STRESS_CHECKS 2
static void check_stress(unsigned n)
{
	uint64_t mismatches = 0, refused = 0;

	cpus_at_once(allocate_at_random, &n);
	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		mismatches += workers[cpu].mismatches;
		refused += workers[cpu].refused;
	}
	ktap_note("%u CPUs, %u calls each", smp_online(), n);
	check_equal("blocks keep their content: words changed", mismatches, 0);
	check_equal("malloc and realloc find memory: refused", refused, 0);
}

static int *errno_address[CPUS_MAX];
static int errno_seen[CPUS_MAX];

static void set_errno(void *argument)
{
	errno = 100 + (int)cpu_index();
	errno_address[cpu_index()] = &errno;
}

static void get_errno(void *argument)
{
	errno_seen[cpu_index()] = errno;
}

static void check_errno(void)
{
	const char *name = "errno is each CPU's own: shared";
	unsigned shared = 0;

	if (smp_online() < 2) {
		ktap_skip(name, "one CPU");
		return;
	}
	cpus_in_turn(set_errno, NULL);
	cpus_in_turn(get_errno, NULL);
	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		shared += errno_seen[cpu] != 100 + (int)cpu;
		for (unsigned other = 0; other < cpu; other++)
			shared += errno_address[cpu] == errno_address[other];
	}
	check_equal(name, shared, 0);
}

_Static_assert(HEAP_CPU_CHECKS == 1 + STRESS_CHECKS + 1, "the plan counts every check");

void heap_check_cpus(unsigned n)
{
	check_nesting();
	check_stress(n);
	check_errno();
}
