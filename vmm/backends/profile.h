/*
 * The profile of a phase: the instructions that were executed, by symbol. Counts, not
 * samples.
 */
#ifndef TICKVM_BACKENDS_PROFILE_H
#define TICKVM_BACKENDS_PROFILE_H

#include "path_length_counts.h"
#include "path_length_owners.h"

struct path_split {
	uint64_t of[OWNERS];
};
uint64_t path_split_total(const struct path_split *split);

struct profile_row {
	enum path_owner owner;
	const char *symbol;	/* in the owners' tables */
	uint64_t instructions;	/* executed in the phase */
	uint64_t per_operation; /* by every operation: see path_length.h */
};

struct profile {
	struct profile_row *rows; /* the most instructions first */
	size_t count;
	struct path_split executed, per_operation; /* sums of the rows */
};

/* operations 0: nothing is said of an operation. -1: out of memory. */
int profile_make(const struct address_count *list, size_t count, uint64_t operations,
		 const struct path_owners *owners, struct profile *profile);
void profile_free(struct profile *profile);

#endif
