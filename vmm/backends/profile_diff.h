/*
 * The difference of two runs in path length, phase by phase and symbol by symbol. Both
 * are exact, so what remains after subtraction is the change: no threshold, no noise.
 */
#ifndef TICKVM_BACKENDS_PROFILE_DIFF_H
#define TICKVM_BACKENDS_PROFILE_DIFF_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;

/* A symbol in one phase of two runs: 0 in a run that has it not. */
struct profile_change {
	const char *owner, *symbol; /* in the result objects */
	int64_t before, after;	    /* instructions that every operation executes */
	double in_all;		    /* all instructions, after less before, an operation's share */
};

struct phase_change {
	int64_t before, after;		/* path length in all */
	struct profile_change *symbols; /* the largest change of the path first */
	size_t count;
};

/*
 * Subtracts a phase of one result from that of another. -1: one has no profile (lab run
 * --profile), or memory is out. phase_change_free() is for success only.
 */
int phase_compare(const json_t *before, const json_t *after, struct phase_change *change,
		  struct error *e);
void phase_change_free(struct phase_change *change);

/*
 * `tickvm lab diff`: prints the changes of all phases that both results have. Returns
 * TK_EXIT_FAIL: a path is longer by more than `limit` instructions an operation;
 * TK_EXIT_PASS: none is; -1: they cannot be compared.
 */
int profile_diff(const json_t *before, const json_t *after, uint64_t limit, FILE *out,
		 struct error *e);

#endif
