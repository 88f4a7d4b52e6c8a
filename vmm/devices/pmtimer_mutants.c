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
#define LOW_BITS	  4
#define SLOW_STORE_TURNS  64

/* Counts on from the last reading by whole ticks: what was left of a tick is gone. */
static uint64_t lose_fraction(uint64_t ns)
{
	static atomic_uint_fast64_t last_ns, ticks;
	uint64_t passed_ns = ns - atomic_exchange(&last_ns, ns);
	uint64_t passed = (uint64_t)((unsigned __int128)passed_ns * PMTIMER_HZ / NS_PER_S);

	return atomic_fetch_add(&ticks, passed) + passed;
}

/* The count in two words that all readers share, with time between the two stores. */
static uint64_t tear(uint64_t ticks)
{
	static atomic_uint_fast64_t high, low;

	atomic_store(&high, ticks >> LOW_BITS);
	for (unsigned i = 0; i < SLOW_STORE_TURNS; i++)
		__builtin_ia32_pause();
	atomic_store(&low, ticks & ((1u << LOW_BITS) - 1));
	return atomic_load(&high) << LOW_BITS | atomic_load(&low);
}

uint64_t pmtimer_mutate(uint64_t ticks, uint64_t ns)
{
	if (MUTANT(pmtimer_fraction_lost))
		return lose_fraction(ns);
	if (MUTANT(pmtimer_rounded_period))
		return ns / ROUNDED_PERIOD_NS;
	if (MUTANT(pmtimer_two_words))
		return tear(ticks);
	return ticks;
}
#endif
