/* A directory of a run's own: see lab_scratch.h. */
#include "lab_scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define OPEN_DIRECTORIES 16

int lab_scratch_make(struct lab_scratch *scratch, struct error *e)
{
	const char *temporary = getenv("TMPDIR");
	int length = snprintf(scratch->dir, sizeof(scratch->dir), "%s/tickvm-lab-XXXXXX",
			      temporary && temporary[0] ? temporary : "/tmp");

	if (length >= (int)sizeof(scratch->dir) || !mkdtemp(scratch->dir))
		return error_set(e, TK_EXIT_FAIL, "lab: no temporary directory: %s",
				 strerror(errno));
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
	(void)stat, (void)kind, (void)at;
	return remove(path);
}

int lab_remove_tree(const char *path)
{
	return nftw(path, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

void lab_scratch_remove(const struct lab_scratch *scratch)
{
	lab_remove_tree(scratch->dir);
}
