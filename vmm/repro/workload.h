/*
 * One guest workload under several choices of tickvm: a row a choice, gone through in
 * rounds ABCD DCBA …, so that what drifts on the host meets all rows alike.
 *
 * What comes of it is an array of rows:
 *   name, options, status ("ok", "skipped", "inconclusive" or "failed"), reason (null or
 *   one line), and for each measure {median, min, max} over the rounds, null where this
 *   host does not count it
 */
#ifndef TICKVM_REPRO_WORKLOAD_H
#define TICKVM_REPRO_WORKLOAD_H

#include <jansson.h>
#include <stdbool.h>

#include "repro.h"

#define WORKLOAD_ROWS_MAX     8
#define WORKLOAD_MEASURES_MAX 16

struct workload_row {
	const char *name;
	const char *options[4]; /* of tickvm run; NULL after the last */
};

/* A figure of one run; NAN: not known. */
struct measure {
	const char *key;
	double (*of)(const json_t *result, const json_t *phase);
};

struct workload {
	const char *key;   /* of its array in the report, and what progress calls it */
	const char *phase; /* whose figures the measures are of */
	const struct workload_row *rows;
	unsigned row_count;
	const char *const *options; /* of all rows, or NULL */
	const struct measure *measures;
	unsigned measure_count;
	unsigned ratio_of; /* index of the measure of which each row has the first one's ratio */
};

/*
 * Runs all and adds the array, and the host and tickvm of the first result if the
 * report lacks them. -1: a run is a usage error, or could not be started.
 */
int workload_run(const struct workload *workload, const char *cmdline,
		 const struct repro_options *options, json_t *report, struct error *e);

/* One run of a row, of which one measure is wanted; NAN: it came to none, for `why`. */
double workload_probe(const struct workload *workload, unsigned row, const char *cmdline,
		      const struct repro_options *options, unsigned measure, char why[240],
		      struct error *e);

/* Row and key's {median, min, max}: `which` of them; NAN: not known. */
double row_figure(const json_t *row, const char *key, const char *which);

bool row_is_ok(const json_t *row);

#endif
