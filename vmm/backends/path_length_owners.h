/*
 * Whose an instruction is, by its virtual address alone: L1's kernel has the high half;
 * tickvm is linked where no guest's code lies (Makefile); the guest runs what its image
 * loads at its own addresses, and its application processors' first steps below 1 MiB.
 * All else is user space of L1: the vDSO, which the VMM reads clocks with, its libraries
 * if it has any, and L1's init.
 */
#ifndef TICKVM_BACKENDS_PATH_LENGTH_OWNERS_H
#define TICKVM_BACKENDS_PATH_LENGTH_OWNERS_H

#include "path_length.h"
#include "symbols.h"

struct path_owners {
	struct symbols guest, vmm, kernel;
};

enum path_owner { OWNER_GUEST, OWNER_VMM, OWNER_KERNEL, OWNERS };

/* "guest", "vmm", "kernel" */
const char *path_owner_name(enum path_owner owner);

/* -1: a file cannot be read, or image and VMM share addresses. */
int path_owners_read(const struct path_length_files *files, struct path_owners *owners,
		     struct error *e);
void path_owners_free(struct path_owners *owners);

/* The symbol, never NULL: "[vdso]" and the like where there is none. */
const char *path_owners_find(const struct path_owners *owners, uint64_t address,
			     enum path_owner *owner);

#endif
