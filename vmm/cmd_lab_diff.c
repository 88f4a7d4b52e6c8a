/*
 * `tickvm lab diff`: what changed in path length between two results of `lab run
 * --profile`, by symbol.
 */
#include "cmd_lab_diff.h"

#include <stdio.h>
#include <string.h>

#include "../kernel/abi.h"
#include "backends/profile_diff.h"
#include "error.h"

static int print_help(void)
{
	printf("Usage: tickvm lab diff BEFORE.json AFTER.json\n"
	       "Subtract the path lengths of two results of lab run --profile --json=FILE.\n\n"
	       "Both are exact, and so is the difference. For each phase: instructions that each\n"
	       "operation executes, and the symbols in which they changed. \"with besides\" is an\n"
	       "operation's share of all that was executed, L1's timer interrupts included.\n\n"
	       "Exit codes: 0 no path became longer, 1 one did, 2 they cannot be compared.\n");
	return TK_EXIT_PASS;
}

static json_t *load(const char *path, struct error *e)
{
	json_error_t why;
	json_t *result = json_load_file(path, 0, &why);

	if (!result)
		error_set(e, TK_EXIT_USAGE, "lab diff: %s: %s", path, why.text);
	return result;
}

int lab_command_diff(int argc, char **argv, struct error *e)
{
	json_t *before, *after;
	int code = -1;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return print_help();
	if (argc != 3)
		return error_set(e, TK_EXIT_USAGE, "lab diff: two results, please");
	before = load(argv[1], e);
	after = before ? load(argv[2], e) : NULL;
	if (after)
		code = profile_diff(before, after, stdout, e);
	json_decref(before);
	json_decref(after);
	return code;
}
