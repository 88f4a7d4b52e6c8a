/* `tickvm run` of this very binary as a child, and its result read back. */
#ifndef TICKVM_REPRO_CHILD_H
#define TICKVM_REPRO_CHILD_H

#include <jansson.h>

struct error;

#define CHILD_WORDS_MAX 16

struct child_run {
	int exit_code;
	json_t *result; /* NULL: it came to none */
	char line[240]; /* the last on its standard error: why, where it is not a pass */
};

/*
 * Runs it to its end with these options (CHILD_WORDS_MAX at most, NULL last). -1: it
 * could not be started. The result is the caller's.
 */
int child_run(const char *const *options, const char *image, const char *cmdline,
	      struct child_run *run, struct error *e);

#endif
