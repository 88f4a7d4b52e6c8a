/*
 * `tickvm repro`: an argument about timers of the past, as a table made here and now.
 */
#include "cmd_repro.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "options.h"
#include "report/json_values.h"
#include "report/report.h"
#include "repro/image.h"
#include "repro/repro.h"

#define REPEAT_DEFAULT 3
#define SECONDS_MAX    600
#define CALLS_MAX      UINT64_C(4000000000)

/* NULL at the end. */
static const struct repro_scenario *const scenarios[] = {&repro_pmtimer, &repro_rtc_lock, NULL};

struct command {
	const struct repro_scenario *scenario;
	struct repro_options options;
	const char *json_path;
	struct error *error;
};

enum { KEY_CALLS = 0x100, KEY_IMAGE, KEY_JSON, KEY_MUTANT, KEY_REPEAT, KEY_SECONDS };

static const struct argp_option option_table[] = {
	{"calls", KEY_CALLS, "N", 0, "calls a run (for 10 s in all)", 0},
	{"image", KEY_IMAGE, "FILE", 0, "tickvm's guest, ISO or ELF (its own)", 0},
	{"json", KEY_JSON, "FILE", 0, "write the report; - for stdout", 0},
	{"repeat", KEY_REPEAT, "N", 0, "runs of each row, 1 to 64 (3)", 0},
	{"seconds", KEY_SECONDS, "N", 0, "of a run that idles, 1 to 600 (the scenario's own)", 0},
#ifdef TICKVM_MUTANTS
	{"mutant", KEY_MUTANT, "NAME", 0, "switch a known fault on in each run", 0},
#endif
	{0},
};

static error_t take_number(struct command *command, const char *option, const char *value,
			   uint64_t most, uint64_t *number)
{
	return option_number(option, value, 1, most, number, command->error) ? EINVAL : 0;
}

static error_t take_scenario(struct command *command, const char *name)
{
	if (command->scenario) {
		error_set(command->error, TK_EXIT_USAGE, "repro: one scenario, please: %s", name);
		return EINVAL;
	}
	for (unsigned i = 0; scenarios[i]; i++) {
		if (!strcmp(scenarios[i]->name, name))
			command->scenario = scenarios[i];
	}
	if (command->scenario)
		return 0;
	error_set(command->error, TK_EXIT_USAGE,
		  "repro: %s is no scenario; tickvm repro --help lists them", name);
	return EINVAL;
}

static error_t take_option(int key, char *value, struct argp_state *state)
{
	struct command *command = state->input;
	uint64_t number = 0;

	switch (key) {
	case KEY_CALLS:
		return take_number(command, "calls", value, CALLS_MAX, &command->options.calls);
	case KEY_REPEAT:
		if (take_number(command, "repeat", value, REPRO_REPEAT_MAX, &number))
			return EINVAL;
		command->options.repeat = (unsigned)number;
		return 0;
	case KEY_SECONDS:
		return take_number(command, "seconds", value, SECONDS_MAX,
				   &command->options.seconds);
	case KEY_IMAGE:
		command->options.image = value;
		return 0;
	case KEY_MUTANT:
		command->options.mutant = value;
		return 0;
	case KEY_JSON:
		command->json_path = value;
		return 0;
	case ARGP_KEY_ARG:
		return take_scenario(command, value);
	default:
		return option_event(key, state);
	}
}

/* The text after the options, with the scenarios in it. */
static char *fill_help(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t size;
	FILE *out;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&help, &size);
	if (!out)
		return (char *)text;
	fputs("Scenarios:\n", out);
	for (unsigned i = 0; scenarios[i]; i++)
		fprintf(out, "  %-10s %s\n", scenarios[i]->name, scenarios[i]->what);
	fprintf(out, "\n%s", text);
	fclose(out);
	return help;
}

static const struct argp parser = {
	.options = option_table,
	.parser = take_option,
	.args_doc = "SCENARIO",
	.doc = "Settle an old argument about timers: run its choices in turns, print its table.\v"
	       "Exit codes: 0 as promised, 1 not so, 2 usage, 3 inconclusive (the host stalled), "
	       "77 this host cannot run any row.",
	.help_filter = fill_help,
};

static json_t *new_report(const struct command *command)
{
	json_t *report = json_object();

	json_put(report, "schema", json_string(REPRO_SCHEMA));
	json_put(report, "scenario", json_string(command->scenario->name));
	json_put(report, "image", json_text(command->options.image));
	json_put(report, "repeat", json_u64(command->options.repeat));
	return report;
}

/* Exit code of the verdict; -1: there is none, or it cannot be written. */
static int run_and_print(const struct command *command, struct error *e)
{
	bool to_stdout = command->json_path && !strcmp(command->json_path, "-");
	json_t *report = new_report(command);
	int code = command->scenario->run(&command->options, report, e);

	if (code == 0) {
		code = result_exit_code(report);
		if (!to_stdout)
			command->scenario->print(report, stdout);
		if (command->json_path && result_save(report, command->json_path, e))
			code = -1;
	}
	json_decref(report);
	return code;
}

static int run_command(struct command *command, struct error *e)
{
	char image[PATH_MAX];

	if (!command->scenario)
		return error_set(e, TK_EXIT_USAGE,
				 "repro: no scenario; tickvm repro --help lists them");
	if (!command->options.image) {
		if (image_default(image, e))
			return -1;
		command->options.image = image;
	}
	if (isatty(STDERR_FILENO))
		command->options.progress = stderr;
	return run_and_print(command, e);
}

int cmd_repro(int argc, char **argv)
{
	static char name[] = "tickvm repro";
	struct error e = {.exit_code = TK_EXIT_USAGE, .text = ""};
	struct command command = {.options = {.repeat = REPEAT_DEFAULT}, .error = &e};
	int code = -1;

	argv[0] = name; /* getopt's messages begin with it */
	if (argp_parse(&parser, argc, argv, 0, NULL, &command) == 0)
		code = run_command(&command, &e);
	if (code >= 0)
		return code;
	if (e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}
