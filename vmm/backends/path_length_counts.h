/*
 * What the lab's plugin counted (scripts/lab/count-plugin.c documents the file): how
 * often each instruction was executed in each phase.
 */
#ifndef TICKVM_BACKENDS_PATH_LENGTH_COUNTS_H
#define TICKVM_BACKENDS_PATH_LENGTH_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;

struct address_count {
	uint64_t address; /* virtual, of the instruction */
	uint64_t count;
};

struct path_counts {
	struct address_count *list; /* phase after phase */
	size_t count, capacity;
	size_t *starts; /* of each phase in the list, and the end of the last one */
	unsigned phase_count;
};

/* -1: another form, or it ends before the emulator did. `name`: of the file, for errors. */
int path_counts_read(FILE *file, const char *name, struct path_counts *counts, struct error *e);
void path_counts_free(struct path_counts *counts);

#endif
