/*
 * `tickvm host`: what this host's KVM offers, and what each lack rules out. It
 * succeeds without /dev/kvm, too: that is then what it says.
 */
#include "cmd_host.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "kvm_caps.h"
#include "machine_probe.h"
#include "measure/host.h"
#include "options.h"
#include "report/host_report.h"
#include "report/report.h"

enum { KEY_JSON = 0x100 };

static const struct argp_option option_table[] = {
	{"json", KEY_JSON, "FILE", 0, "write it as JSON; - for stdout, in place of the text", 0},
	{0},
};

struct host_options {
	const char *json_path;
	struct error *error;
};

static error_t take_option(int key, char *value, struct argp_state *state)
{
	struct host_options *options = state->input;

	switch (key) {
	case KEY_JSON:
		options->json_path = value;
		return 0;
	case ARGP_KEY_ARG:
		error_set(options->error, TK_EXIT_USAGE, "host: it takes no argument: %s", value);
		return EINVAL;
	default:
		return option_event(key, state);
	}
}

static const struct argp parser = {
	.options = option_table,
	.parser = take_option,
	.doc = "Print what this host's KVM offers, and what each lack rules out.\v"
	       "Exit codes: 0, also without KVM; 1 the JSON cannot be written; 2 usage.",
};

static void ask_kvm(struct kvm_answers *answers)
{
	struct error e;
	int fd = kvm_open(&answers->refusal);

	answers->usable = fd >= 0;
	if (!answers->usable)
		return;
	for (unsigned i = 0; i < KVM_CAPS; i++)
		answers->values[i] = kvm_cap_value(fd, kvm_caps[i].number);
	close(fd);
	answers->probed = machine_probe(&answers->probe, &e) == 0;
}

static int say(const json_t *report, const char *json_path, struct error *e)
{
	if (!json_path || strcmp(json_path, "-"))
		host_report_print(report, stdout);
	return json_path ? result_save(report, json_path, e) : 0;
}

static int describe_host(const char *json_path, struct error *e)
{
	struct kvm_answers answers = {0};
	struct host_facts facts;
	json_t *report;
	int result;

	host_facts_read(&facts);
	ask_kvm(&answers);
	report = host_report_build(&facts, &answers);
	if (!report)
		return error_set(e, TK_EXIT_FAIL, "out of memory for the report");
	result = say(report, json_path, e);
	json_decref(report);
	return result;
}

int cmd_host(int argc, char **argv)
{
	static char name[] = "tickvm host";
	struct error e = {.exit_code = TK_EXIT_USAGE};
	struct host_options options = {.error = &e};

	argv[0] = name; /* getopt's messages begin with it */
	if (argp_parse(&parser, argc, argv, 0, NULL, &options) == 0 &&
	    describe_host(options.json_path, &e) == 0)
		return TK_EXIT_PASS;
	if (e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}
