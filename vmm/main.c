/*
 * tickvm: the sub-commands.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "cmd_compare.h"
#include "cmd_host.h"
#include "cmd_lab.h"
#include "cmd_parse.h"
#include "cmd_repro.h"
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
	{"lab", cmd_lab, "try a KVM in a nested host, exactly and in seconds"},
	{"host", cmd_host, "what this host's KVM offers, and what each lack rules out"},
	{"repro", cmd_repro, "an old argument about timers, as a table made here and now"},
	{"compare", cmd_compare, "whether one choice, build or VMM is worse than another"},
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

/*
 * A caller may have closed standard descriptors; files that are opened later must not
 * get their numbers. Writing to what stands in for them is an error, as it was.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
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
