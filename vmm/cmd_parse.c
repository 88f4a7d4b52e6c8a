/*
 * `tickvm parse`: the serial text of a guest that ran elsewhere, under QEMU or on
 * bare metal, judged by the same code as a run of our own: same object, same
 * summary, same exit codes.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd_parse.h"
#include "error.h"
#include "measure/record.h"
#include "options.h"
#include "report/report.h"

struct parse_options {
	const char *file; /* NULL or "-": standard input */
	const char *json_path;
	bool echo, verbose, quiet;
	struct error *error;
};

enum { KEY_JSON = 0x100, KEY_ECHO };

static const struct argp_option option_table[] = {
	{"json", KEY_JSON, "FILE", 0, "write the result; - for stdout, in place of the summary", 0},
	{"echo", KEY_ECHO, NULL, 0,
	 "pass the text on to stdout as it comes (to stderr with --json=-)", 0},
	{"verbose", 'v', NULL, 0, "list every check", 0},
	{"quiet", 'q', NULL, 0, "no summary", 0},
	{0},
};

static error_t take_option(int key, char *value, struct argp_state *state)
{
	struct parse_options *options = state->input;

	switch (key) {
	case KEY_JSON:
		options->json_path = value;
		return 0;
	case KEY_ECHO:
		options->echo = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->file) {
			error_set(options->error, TK_EXIT_USAGE, "parse: one FILE, please: %s",
				  value);
			return EINVAL;
		}
		options->file = value;
		return 0;
	default:
		return option_event(key, state);
	}
}

static const struct argp parser = {
	.options = option_table,
	.parser = take_option,
	.args_doc = "[FILE]",
	.doc = "Judge the serial text of a guest: from FILE, or standard input.\v"
	       "Exit codes: 0 pass, 1 fail, 2 usage, 3 inconclusive, 77 skipped, 124 time-out.",
};

static bool is_dash(const char *file)
{
	return file && !strcmp(file, "-");
}

/* Feeds all of `fd` to the reader; bytes are passed on before more are waited for. */
static int read_all(int fd, struct serial_reader *reader, FILE *echo, struct error *e)
{
	char data[16384];

	for (;;) {
		ssize_t length = read(fd, data, sizeof(data));

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return error_set(e, TK_EXIT_USAGE, "cannot read the text: %s",
					 strerror(errno));
		if (length == 0)
			return 0;
		serial_reader_feed(reader, data, length);
		if (echo) {
			fwrite(data, 1, length, echo);
			fflush(echo);
		}
	}
}

static FILE *echo_stream(const struct parse_options *options)
{
	if (!options->echo)
		return NULL;
	return is_dash(options->json_path) ? stderr : stdout;
}

static int read_text(const struct parse_options *options, struct record *record, struct error *e)
{
	struct serial_reader reader;
	int fd = STDIN_FILENO;
	int result;

	if (options->file && !is_dash(options->file)) {
		fd = open(options->file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return error_set(e, TK_EXIT_USAGE, "cannot open %s: %s", options->file,
					 strerror(errno));
	}
	serial_reader_init(&reader, record);
	result = read_all(fd, &reader, echo_stream(options), e);
	serial_reader_finish(&reader);
	if (fd != STDIN_FILENO)
		close(fd);
	return result;
}

/* Exit code of the verdict; -1: it could not be built or written. */
static int report(const struct parse_options *options, const struct record *record, struct error *e)
{
	json_t *result = result_build(record, NULL, NULL);
	int code;

	if (!result)
		return error_set(e, TK_EXIT_FAIL, "out of memory for the result");
	code = result_exit_code(result);
	if (!options->quiet && !is_dash(options->json_path))
		summary_print(result, stdout, options->verbose, summary_wants_colour(stdout));
	if (options->json_path && result_save(result, options->json_path, e))
		code = -1;
	json_decref(result);
	return code;
}

static int parse(const struct parse_options *options, struct error *e)
{
	struct record record;
	int code = -1;

	record_init(&record);
	snprintf(record.backend, sizeof(record.backend), "serial text");
	if (read_text(options, &record, e) == 0) {
		record.end = record.guest_code < 0 ? END_NO_EXIT : END_EXIT;
		code = report(options, &record, e);
	}
	record_free(&record);
	return code;
}

int cmd_parse(int argc, char **argv)
{
	static char name[] = "tickvm parse";
	struct error e = {.exit_code = TK_EXIT_USAGE, .text = ""};
	struct parse_options options = {.error = &e};
	int code = -1;

	argv[0] = name; /* getopt's messages begin with it */
	if (argp_parse(&parser, argc, argv, 0, NULL, &options) == 0)
		code = parse(&options, &e);
	if (code >= 0)
		return code;
	if (e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}
