/*
 * tickvm: the sub-commands.
 */
#include <stdio.h>
#include <string.h>

#include "../kernel/abi.h"
#include "cmd_parse.h"
#include "cmd_run.h"
#include "revision.h"
#include "version.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{"run", cmd_run, "boot an ISO or ELF under KVM, print its output and the verdict"},
	{"parse", cmd_parse, "judge the serial text of a guest that ran elsewhere"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int print_help(void)
{
	printf("Usage: tickvm COMMAND [OPTION...]\n"
	       "Measure, validate and bisect timekeeping under KVM.\n\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].what);
	printf("\n  --help     this text; tickvm COMMAND --help says more\n"
	       "  --version  version and revision\n");
	return TK_EXIT_PASS;
}

static int print_version(void)
{
	printf("tickvm %s (%s), pair contract %d\n", TICKVM_VERSION, TICKVM_REVISION,
	       TK_ABI_VERSION);
	return TK_EXIT_PASS;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "tickvm: no command; tickvm --help lists them\n");
		return TK_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version();
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "tickvm: %s is no command; tickvm --help lists them\n", argv[1]);
	return TK_EXIT_USAGE;
}
