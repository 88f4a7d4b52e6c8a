/*
 * Arguments of old as experiments: a scenario runs `tickvm run` once for each of its
 * rows and rounds, makes one object of the results, and prints a table of that.
 */
#ifndef TICKVM_REPRO_H
#define TICKVM_REPRO_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct error;

#define REPRO_SCHEMA	 "tickvm-repro/1"
#define REPRO_REPEAT_MAX 64

struct repro_options {
	const char *image;
	uint64_t calls;	    /* operations a run; 0: as many as fit the scenario's time */
	uint64_t seconds;   /* of a run that idles; 0: the scenario's own */
	unsigned repeat;    /* rounds, 1 .. REPRO_REPEAT_MAX */
	const char *mutant; /* of tickvm-mutants, that each run switches on; NULL: none */
	FILE *progress;	    /* a terminal to say on which run it is; NULL: none */
};

struct repro_scenario {
	const char *name;
	const char *what;
	/*
	 * Fills the report, which has schema, scenario, image and repeat so far, down to its
	 * verdict. -1: a run that this tickvm or image cannot make at all.
	 */
	int (*run)(const struct repro_options *options, json_t *report, struct error *e);
	void (*print)(const json_t *report, FILE *out);
};

extern const struct repro_scenario repro_pmtimer, repro_rtc_lock;

#endif
