/*
 * A comparison in progress: A and B run in turns, ABBA ABBA …, so that what drifts on
 * the host meets both alike, and what each pair of runs measured.
 */
#ifndef TICKVM_COMPARE_SESSION_H
#define TICKVM_COMPARE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "paired.h"
#include "spec.h"

#define COMPARE_ROWS_MAX 32

/* What is compared, each per operation of a phase, or of the whole run. */
enum compare_measure {
	COMPARE_EXITS,	   /* to userspace */
	COMPARE_KVM_EXITS, /* of KVM; not where it counts its own pauses, too */
	COMPARE_CPU,	   /* ns: of the phase's vCPUs, or of the whole process */
	COMPARE_TIME,	   /* ns */
	COMPARE_MEASURES,
};

struct compare_row {
	char name[64]; /* of the phase; "run": the whole */
	double operations;
	/* [side]: A, B. NAN: not known. */
	double values[COMPARE_MEASURES][2][PAIRED_MAX];
};

struct compare_session {
	struct spec specs[2];
	FILE *progress; /* NULL: none */
	json_t *facts;	/* host and tickvm, of the first result that has them */
	bool host_interprets;
	unsigned pairs, row_count;
	struct compare_row rows[COMPARE_ROWS_MAX]; /* [0]: the whole run */
	char stopped[300]; /* why a run was no pass, which ends it; "": none so far */
	int stopped_code;
};

/* Runs each once, for its caches and ours, and finds the phases that both have. -1: e. */
int compare_session_start(struct compare_session *session, struct error *e);

/* Two more pairs. -1: e; 0 with `stopped`: a run was no pass. */
int compare_session_block(struct compare_session *session, struct error *e);

void compare_session_free(struct compare_session *session);

#endif
