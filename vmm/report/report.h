/*
 * From the record of a run to what a person or a machine reads.
 *
 * result_build() makes the one JSON object (schema tickvm-result/1); everything
 * printed is made from that object, so that text and JSON cannot disagree.
 */
#ifndef TICKVM_REPORT_H
#define TICKVM_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct config;
struct error;
struct host_facts;
struct record;

/*
 * config and host are NULL for a guest that ran elsewhere (parse): what only the
 * VMM could count is then null. The caller owns the object. NULL: out of memory.
 */
json_t *result_build(const struct record *record, const struct config *config,
		     const struct host_facts *host);

/* Exit code of tickvm that the object's verdict stands for. */
int result_exit_code(const json_t *result);

/* Human summary: checks, metrics, exits, statistics, times, the verdict last. */
void summary_print(const json_t *result, FILE *out, bool verbose, bool colour);

/* Whether a summary on `out` may be coloured: a terminal, and NO_COLOR is not set. */
bool summary_wants_colour(FILE *out);

/*
 * Writes the object to `path` ("-": stdout) whole or not at all: temporary name, then
 * rename. -1 with exit code 1: it cannot be written.
 */
int result_save(const json_t *result, const char *path, struct error *e);

#endif
