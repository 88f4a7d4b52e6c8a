/*
 * Path lengths of a run in the lab: the counting plugin goes onto the emulator, and what
 * it counted into the result.
 */
#ifndef TICKVM_BACKENDS_PATH_LENGTH_LAB_H
#define TICKVM_BACKENDS_PATH_LENGTH_LAB_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

#include "lab_scratch.h"

struct error;
struct lab;
struct lab_job;

/* Zeroed: nothing is counted, and the functions below do nothing. */
struct lab_counting {
	struct lab_scratch scratch;
	char counts[PATH_MAX]; /* the plugin's file */
	char *option;	       /* of QEMU's -plugin */
};

/* Has the run of this very binary that the job is counted. */
int lab_counting_begin(struct lab_counting *counting, struct lab_job *job, struct error *e);

/* Adds the path lengths of the run of `image` to its result. */
int lab_counting_add(const struct lab_counting *counting, const struct lab *lab, const char *image,
		     const char *menu_entry, bool with_profile, json_t *result, struct error *e);

void lab_counting_end(struct lab_counting *counting);

#endif
