/*
 * `tickvm compare`: is B worse than A? Two choices of options, two builds or two VMMs,
 * run in turns until the answer is clear.
 */
#include "cmd_compare.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "compare/compare.h"
#include "error.h"
#include "options.h"
#include "report/json_values.h"
#include "report/report.h"
#include "repro/image.h"

#define SECONDS_DEFAULT	  60
#define SECONDS_MAX	  86400
#define THRESHOLD_DEFAULT 0.02

struct command {
	struct compare_options options;
	const char *json_path;
	struct error *error;
};

enum { KEY_A = 0x100, KEY_B, KEY_MAX_SECONDS, KEY_THRESHOLD, KEY_JSON };

static const struct argp_option option_table[] = {
	{"a", KEY_A, "SPEC", 0, "what B is compared with (this tickvm's defaults)", 0},
	{"b", KEY_B, "SPEC", 0, "what may be worse (this tickvm's defaults)", 0},
	{"max-seconds", KEY_MAX_SECONDS, "N", 0, "for all runs (60)", 0},
	{"threshold", KEY_THRESHOLD, "PERCENT", 0, "difference that matters, 0.1 to 100 (2)", 0},
	{"json", KEY_JSON, "FILE", 0, "write the report; - for stdout", 0},
	{0},
};

static error_t take_threshold(struct command *command, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0.1 && percent <= 100)) {
		error_set(command->error, TK_EXIT_USAGE, "--threshold: %s is not in 0.1..100",
			  text);
		return EINVAL;
	}
	command->options.threshold = percent / 100;
	return 0;
}

static error_t take_seconds(struct command *command, const char *text)
{
	uint64_t seconds;

	if (option_number("--max-seconds", text, 1, SECONDS_MAX, &seconds, command->error))
		return EINVAL;
	command->options.max_seconds = (double)seconds;
	return 0;
}

static error_t take_image(struct command *command, const char *text)
{
	if (!command->options.image) {
		command->options.image = text;
		return 0;
	}
	error_set(command->error, TK_EXIT_USAGE,
		  "compare: one IMAGE, please: %s (the guest's words go after --)", text);
	return EINVAL;
}

static error_t take_option(int key, char *value, struct argp_state *state)
{
	struct command *command = state->input;

	switch (key) {
	case KEY_A:
		command->options.a = value;
		return 0;
	case KEY_B:
		command->options.b = value;
		return 0;
	case KEY_MAX_SECONDS:
		return take_seconds(command, value);
	case KEY_THRESHOLD:
		return take_threshold(command, value);
	case KEY_JSON:
		command->json_path = value;
		return 0;
	case ARGP_KEY_ARG:
		return take_image(command, value);
	default:
		return option_event(key, state);
	}
}

static const struct argp parser = {
	.options = option_table,
	.parser = take_option,
	.args_doc = "[IMAGE] [-- GUEST COMMAND LINE]",
	.doc = "Run A and B in turns until it is clear whether B is worse. IMAGE is tickvm's own "
	       "unless given.\v"
	       "SPEC: \"--lock=big …\", options of tickvm run; tickvm:PATH [options]; "
	       "qemu:PATH[,accel=kvm|tcg][,machine=…][,cpus=N][,extra=…]; exec:COMMAND with %i and "
	       "%c.\n\n"
	       "Exit codes: 0 no difference, or better; 1 worse, or a run failed; 2 usage; "
	       "3 inconclusive; 77 skipped.",
};

static json_t *new_report(const struct compare_options *options)
{
	json_t *report = json_object();

	json_put(report, "schema", json_string(COMPARE_SCHEMA));
	json_put(report, "a", json_text(*options->a ? options->a : "tickvm"));
	json_put(report, "b", json_text(*options->b ? options->b : "tickvm"));
	json_put(report, "image", json_text(options->image));
	json_put(report, "cmdline", json_text(options->cmdline));
	json_put(report, "threshold", json_real(options->threshold));
	return report;
}

/* Exit code of the verdict; -1: there is none, or it cannot be written. */
static int run_and_print(struct command *command, struct error *e)
{
	char image[PATH_MAX];
	json_t *report;
	int code = -1;

	if (!command->options.image) {
		if (image_default(image, e))
			return -1;
		command->options.image = image;
	}
	if (isatty(STDERR_FILENO))
		command->options.progress = stderr;
	if (!command->json_path || strcmp(command->json_path, "-") != 0)
		command->options.text = stdout;
	report = new_report(&command->options);
	if (compare_run(&command->options, report, e) == 0) {
		code = result_exit_code(report);
		if (command->json_path && result_save(report, command->json_path, e))
			code = -1;
	}
	json_decref(report);
	return code;
}

int cmd_compare(int argc, char **argv)
{
	static char name[] = "tickvm compare";
	struct error e = {.exit_code = TK_EXIT_USAGE, .text = ""};
	struct command command = {
		.options = {.a = "",
			    .b = "",
			    .cmdline = "",
			    .max_seconds = SECONDS_DEFAULT,
			    .threshold = THRESHOLD_DEFAULT},
		.error = &e,
	};
	int dashes = option_find_dashes(argc, argv), code = -1;
	char *cmdline = NULL;

	argv[0] = name; /* getopt's messages begin with it */
	if (dashes < argc)
		command.options.cmdline = cmdline = option_join(argc - dashes - 1,
								argv + dashes + 1);
	if (argp_parse(&parser, dashes, argv, 0, NULL, &command) == 0)
		code = run_and_print(&command, &e);
	free(cmdline);
	if (code >= 0)
		return code;
	if (e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}
