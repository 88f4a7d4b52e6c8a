/*
 * The guest's mutants: a byte each, switched on by `mutant=NAME`.
 */
#ifdef TICKVM_MUTANTS
#include "app.h"
#include "boot.h"

#include <stddef.h>
#include <string.h>

#define MUTANT_DEFINE(name, what) bool mutant_##name;
#include "mutant.def"
#undef MUTANT_DEFINE

static const struct {
	const char *name;
	bool *on;
} mutants[] = {
#define MUTANT_DEFINE(name, what) {#name, &mutant_##name},
#include "mutant.def"
#undef MUTANT_DEFINE
};

/* "NAME NAME …" */
#define MUTANT_DEFINE(name, what) " " #name
static const char names[] =
#include "mutant.def"
	;
#undef MUTANT_DEFINE

void mutant_select(const char *name)
{
	for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++)
		if (strcmp(name, mutants[i].name) == 0) {
			*mutants[i].on = true;
			return;
		}
	app_exit(TK_EXIT_USAGE, "mutant=%s: there are%s", name, names);
}
#endif
