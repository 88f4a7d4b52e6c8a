/*
 * `tickvm lab`: builds, lists and removes nested hosts, and runs tickvm in one. What a
 * lab is: backends/lab.h; running: cmd_lab_run.c.
 */
#include "cmd_lab.h"

#include <stdio.h>
#include <string.h>

#include "../kernel/abi.h"
#include "cmd_lab_diff.h"
#include "cmd_lab_options.h"
#include "cmd_lab_run.h"
#include "error.h"

static int build(int argc, char **argv, struct error *e)
{
	struct lab_command command;
	struct lab lab;

	if (lab_build_options(argc, argv, &command, e) || lab_build(&command.spec, &lab, e) ||
	    lab_snapshot(&lab, &command.shape, e))
		return -1;
	return TK_EXIT_PASS;
}

static int list(int argc, char **argv, struct error *e)
{
	bool as_json = argc == 2 && !strcmp(argv[1], "--json");

	if (argc > 1 && !as_json)
		return error_set(e, TK_EXIT_USAGE, "lab list: %s is not --json", argv[1]);
	return lab_list(as_json, e) ? -1 : TK_EXIT_PASS;
}

static int clean(int argc, char **argv, struct error *e)
{
	if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
		return error_set(e, TK_EXIT_USAGE, "lab clean: one NAME, or none for all");
	return lab_clean(argc == 2 ? argv[1] : NULL, e) ? -1 : TK_EXIT_PASS;
}

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv, struct error *e);
	const char *what;
} verbs[] = {
	{"build", build, "make a lab ready: kernel, modules, snapshot"},
	{"run", lab_command_run, "run tickvm, or a static program, in a lab"},
	{"diff", lab_command_diff, "what changed in path length between two results"},
	{"list", list, "what is built; --json"},
	{"clean", clean, "remove a lab by its NAME, or everything"},
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int print_help(void)
{
	printf("Usage: tickvm lab COMMAND [OPTION...]\n"
	       "Try a KVM in a nested host under QEMU's emulator, exactly and in seconds.\n\n");
	for (unsigned i = 0; i < VERBS; i++)
		printf("  %-8s %s\n", verbs[i].name, verbs[i].what);
	printf("\ntickvm lab COMMAND --help says more. Files are in $TICKVM_LAB_DIR, else in\n"
	       "build/lab of the source tree.\n");
	return TK_EXIT_PASS;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
	struct error e = {.exit_code = TK_EXIT_USAGE, .text = ""};
	int code = verb->run(argc, argv, &e);

	if (code >= 0)
		return code;
	if (e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}

int cmd_lab(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return print_help();
	for (unsigned i = 0; argc > 1 && i < VERBS; i++)
		if (!strcmp(argv[1], verbs[i].name))
			return run_verb(&verbs[i], argc - 1, argv + 1);
	if (argc > 1)
		fprintf(stderr, "tickvm: lab: %s is no command; tickvm lab --help lists them\n",
			argv[1]);
	else
		fprintf(stderr, "tickvm: lab: no command; tickvm lab --help lists them\n");
	return TK_EXIT_USAGE;
}
