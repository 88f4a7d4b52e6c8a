/* What a job's frames become: see lab_intake.c. */
#ifndef TICKVM_BACKENDS_LAB_INTAKE_H
#define TICKVM_BACKENDS_LAB_INTAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct lab_job;
struct lab_outcome;

struct lab_intake {
	const struct lab_job *job;
	struct lab_outcome *outcome;
	FILE *file;	   /* that the frames of data go to; NULL: nowhere */
	FILE *held_stderr; /* NULL: it is passed on */
	size_t result_size, held_size;
	bool exited;
	int file_errno; /* why a file could not be written; 0: it could */
};

void lab_intake_begin(struct lab_intake *intake, const struct lab_job *job,
		      struct lab_outcome *outcome);

/* For struct lab_frames. */
void lab_intake_frame(void *owner, uint32_t kind, const char *data, uint32_t length);

/* -1: the trace could not be written. */
int lab_intake_finish(struct lab_intake *intake, struct error *e);

#endif
