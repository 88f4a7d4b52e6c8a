/*
 * What the PM timer's mutants show in place of its count: see ../mutant.h. Nothing of
 * this is in tickvm.
 */
#ifndef TICKVM_DEVICES_PMTIMER_MUTANTS_H
#define TICKVM_DEVICES_PMTIMER_MUTANTS_H

#include <stdint.h>

#include "../mutant.h"

#ifdef TICKVM_MUTANTS
/* `ticks` is the right count, after `ns`. */
uint64_t pmtimer_mutate(uint64_t ticks, uint64_t ns);

/* The overflow's update, which has no business with the count. `ticks` is right for `ns`. */
void pmtimer_mutant_rebase(uint64_t ticks, uint64_t ns);
#else
static inline uint64_t pmtimer_mutate(uint64_t ticks, uint64_t ns)
{
	return ticks;
}

static inline void pmtimer_mutant_rebase(uint64_t ticks, uint64_t ns)
{
}
#endif

/*
 * How much too early TMR_STS and its deadline are: far more than the one tick that a
 * wrong rounding makes, since a guest takes many ticks to look at either.
 */
#define PMTIMER_MUTANT_EARLY_NS (MUTANT(pmtimer_deadline_early) ? UINT64_C(2000000) : 0)

#endif
