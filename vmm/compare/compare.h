/* A/B comparison: from what to compare to its report and verdict. */
#ifndef TICKVM_COMPARE_COMPARE_H
#define TICKVM_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "judge.h"
#include "session.h"

#define COMPARE_SCHEMA "tickvm-compare/1"

struct error;

struct compare_options {
	const char *a, *b; /* specs: spec.h */
	const char *image;
	const char *cmdline; /* "": the image's own */
	double max_seconds;
	double threshold; /* relative: 0.02 */
	FILE *progress;	  /* a terminal to say on which pair it is; NULL: none */
	FILE *text;	  /* the table; NULL: none */
};

/*
 * Runs and judges. The report has schema, a, b, image, cmdline, threshold, pairs, order,
 * method, host, tickvm, rows and verdict. -1: no run could be made; e says why.
 */
int compare_run(const struct compare_options *options, json_t *report, struct error *e);

/* print.c */
json_t *compare_rows_json(const struct compare_session *session,
			  const struct compare_judgement *judgement);
void compare_print(const struct compare_session *session, const struct compare_judgement *judgement,
		   const json_t *report, FILE *out);

#endif
