/* The switches of tickvm-mutants: see mutant.h. Empty in tickvm. */
#include "mutant.h"

#ifdef TICKVM_MUTANTS
#include <stdio.h>
#include <string.h>

bool mutant_on[MUTANT_COUNT];

#define MUTANT_DEFINE(name, what) {#name, what},
static const struct {
	const char *name, *what;
} mutants[MUTANT_COUNT] = {
#include "mutant.def"
};
#undef MUTANT_DEFINE

int mutant_enable(const char *name)
{
	for (unsigned i = 0; i < MUTANT_COUNT; i++) {
		if (!strcmp(mutants[i].name, name)) {
			mutant_on[i] = true;
			return 0;
		}
	}
	return -1;
}

void mutant_list(void)
{
	for (unsigned i = 0; i < MUTANT_COUNT; i++)
		printf("%-24s %s\n", mutants[i].name, mutants[i].what);
}
#endif
