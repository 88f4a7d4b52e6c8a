/*
 * The PM timer's mutants: see pmtimer_mutants.h. Each keeps what a right PM timer has
 * no need of: state that is written when it is read.
 */
#include "pmtimer_mutants.h"

#ifdef TICKVM_MUTANTS
#include <stdatomic.h>

#include "pmtimer.h"

#define NS_PER_S	  UINT64_C(1000000000)
#define ROUNDED_PERIOD_NS 279
#define REBASE_NS	  UINT64_C(1000000)
#define SLOW_STORE_TURNS  10000 /* a tenth of that or more, as if the thread was preempted */

/* Counts on from the last reading by whole ticks: what was left of a tick is gone. */
static uint64_t lose_fraction(uint64_t ns)
{
	static atomic_uint_fast64_t last_ns, ticks;
	uint64_t passed_ns = ns - atomic_exchange(&last_ns, ns);
	uint64_t passed = (uint64_t)((unsigned __int128)passed_ns * PMTIMER_HZ / NS_PER_S);

	return atomic_fetch_add(&ticks, passed) + passed;
}

/* What a reading counts on from: two words that belong together, with nothing to say so. */
static atomic_uint_fast64_t base_ns, base_ticks;

static uint64_t count_on(uint64_t ns)
{
	int64_t passed_ns = (int64_t)(ns - atomic_load(&base_ns));

	return atomic_load(&base_ticks) + (uint64_t)((__int128)passed_ns * PMTIMER_HZ / NS_PER_S);
}

void pmtimer_mutant_rebase(uint64_t ticks, uint64_t ns)
{
	if (!MUTANT(pmtimer_two_words) || ns - atomic_load(&base_ns) < REBASE_NS)
		return;
	atomic_store(&base_ns, ns);
	for (unsigned i = 0; i < SLOW_STORE_TURNS; i++)
		__builtin_ia32_pause();
	atomic_store(&base_ticks, ticks);
}

uint64_t pmtimer_mutate(uint64_t ticks, uint64_t ns)
{
	if (MUTANT(pmtimer_fraction_lost))
		return lose_fraction(ns);
	if (MUTANT(pmtimer_rounded_period))
		return ns / ROUNDED_PERIOD_NS;
	if (MUTANT(pmtimer_two_words))
		return count_on(ns);
	return ticks;
}
#endif
