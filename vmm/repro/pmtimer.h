/* The parts of the scenario pmtimer: its verdict and its tables, of one report. */
#ifndef TICKVM_REPRO_PMTIMER_H
#define TICKVM_REPRO_PMTIMER_H

#include <jansson.h>
#include <stdio.h>

#define PMTIMER_PLACES 4

/* Adds the verdict. -1: out of memory. */
int pmtimer_judge(json_t *report);

void pmtimer_print(const json_t *report, FILE *out);

#endif
