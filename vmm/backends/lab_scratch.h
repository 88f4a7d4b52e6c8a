/* A directory of a run's own for its files, gone after it. */
#ifndef TICKVM_BACKENDS_LAB_SCRATCH_H
#define TICKVM_BACKENDS_LAB_SCRATCH_H

struct error;

struct lab_scratch {
	char dir[256];
};

int lab_scratch_make(struct lab_scratch *scratch, struct error *e);
void lab_scratch_remove(const struct lab_scratch *scratch);

/* Removes a directory and all in it. -1 with errno: not all could be removed. */
int lab_remove_tree(const char *path);

#endif
