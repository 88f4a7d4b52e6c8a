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
#include "options.h"

#define LIMIT_OPTION "--more-than"

static int print_help(void)
{
	printf("Usage: tickvm lab diff [--more-than=N] BEFORE.json AFTER.json\n"
	       "Subtract the path lengths of two results of lab run --profile --json=FILE.\n\n"
	       "Both are exact, and so is the difference. For each phase: instructions that each\n"
	       "operation executes, and the symbols in which they changed. \"with besides\" is an\n"
	       "operation's share of all that was executed, L1's timer interrupts included.\n"
	       "Another kernel or module has its objects at other places, which can take or\n"
	       "save an instruction where the kernel looks at a place.\n\n"
	       "Exit codes: 1 a path is longer by more than N instructions (0), 0 none is,\n"
	       "2 they cannot be compared.\n");
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

static int diff(const char *before_path, const char *after_path, uint64_t limit, struct error *e)
{
	json_t *before = load(before_path, e);
	json_t *after = before ? load(after_path, e) : NULL;
	int code = after ? profile_diff(before, after, limit, stdout, e) : -1;

	json_decref(before);
	json_decref(after);
	return code;
}

int lab_command_diff(int argc, char **argv, struct error *e)
{
	size_t length = strlen(LIMIT_OPTION "=");
	uint64_t limit = 0;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return print_help();
	if (argc > 1 && !strncmp(argv[1], LIMIT_OPTION "=", length)) {
		if (option_number(LIMIT_OPTION, argv[1] + length, 0, INT32_MAX, &limit, e))
			return -1;
		argc--;
		argv++;
	}
	if (argc != 3)
		return error_set(e, TK_EXIT_USAGE,
				 "lab diff: two results, please; tickvm lab diff --help says more");
	return diff(argv[1], argv[2], limit, e);
}
