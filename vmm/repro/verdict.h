/* What every scenario's verdict has in common. */
#ifndef TICKVM_REPRO_VERDICT_H
#define TICKVM_REPRO_VERDICT_H

#include <jansson.h>
#include <stdbool.h>

/* -1: out of memory. */
int repro_set_verdict(json_t *report, const char *status, int code, const char *reason);

/* The first row of a workload that is neither run nor skipped, if any, decides: true. */
bool workload_judge_endings(json_t *report, const char *workload);

/* Whether guest ring 0 is interpreted: costs are those of its instructions then. */
bool repro_host_interprets(const json_t *report);

#endif
