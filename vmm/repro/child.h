/* A run as a child, `tickvm run` of this very binary or another program, and its result read back.
 */
#ifndef TICKVM_REPRO_CHILD_H
#define TICKVM_REPRO_CHILD_H

#include <jansson.h>
#include <stdint.h>

struct error;

#define CHILD_WORDS_MAX 16

struct child_run {
	int exit_code;
	json_t *result; /* NULL: it came to none */
	char line[240]; /* the last on its standard error: why, where it is not a pass */
	uint64_t wall_ns, user_ns, system_ns; /* of the whole process */
};

/*
 * Runs it to its end with these options (CHILD_WORDS_MAX at most, NULL last). -1: it
 * could not be started. The result is the caller's.
 */
int child_run(const char *const *options, const char *image, const char *cmdline,
	      struct child_run *run, struct error *e);

/* What its standard output is. */
enum child_output {
	CHILD_JSON, /* the result */
	CHILD_TEXT, /* the guest's serial text, judged here: so is the exit code */
};

/*
 * The same for any program, found in PATH; words[0] is its name, NULL the last. -1 with
 * exit code 2: it cannot be run.
 */
int child_run_program(const char *program, char *const *words, enum child_output kind,
		      struct child_run *run, struct error *e);

#endif
