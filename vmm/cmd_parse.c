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
#include "report/report.h"

struct parse_options {
	const char *file; /* NULL or "-": standard input */
	const char *json_path;
	bool echo, verbose, quiet;
};

static const struct argp_option option_table[] = {
	{"json", 'j', "FILE", 0, "Write the result object to FILE; \"-\": to stdout, no summary",
	 0},
	{"echo", 'e', NULL, 0, "Pass the text on to stdout as it comes", 0},
	{"verbose", 'v', NULL, 0, "List every check", 0},
	{"quiet", 'q', NULL, 0, "No summary", 0},
	{0},
};

static error_t take_option(int key, char *value, struct argp_state *state)
{
	struct parse_options *options = state->input;

	switch (key) {
	case 'j':
		options->json_path = value;
		return 0;
	case 'e':
		options->echo = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->file)
			argp_error(state, "one FILE only: '%s' is too many", value);
		options->file = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = option_table,
	.parser = take_option,
	.args_doc = "[FILE]",
	.doc = "Judge the serial text of a guest: from FILE, or standard input.\v"
	       "Exit code: 0 pass, 1 fail, 2 usage, 3 inconclusive, 77 skipped, 124 time-out.\n"
	       "Example: qemu-system-x86_64 -cdrom tickvm.iso -nographic | tickvm parse --echo",
};

static bool is_stdin(const char *file)
{
	return !file || !strcmp(file, "-");
}

/* Feeds all of `fd` to the reader; bytes are passed on before more are waited for. */
static int read_all(int fd, struct serial_reader *reader, bool echo, struct error *e)
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
			fwrite(data, 1, length, stdout);
			fflush(stdout);
		}
	}
}

static int read_text(const struct parse_options *options, struct record *record, struct error *e)
{
	struct serial_reader reader;
	int fd = STDIN_FILENO;
	int result;

	if (!is_stdin(options->file)) {
		fd = open(options->file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return error_set(e, TK_EXIT_USAGE, "cannot open %s: %s", options->file,
					 strerror(errno));
	}
	serial_reader_init(&reader, record);
	result = read_all(fd, &reader, options->echo, e);
	serial_reader_finish(&reader);
	if (fd != STDIN_FILENO)
		close(fd);
	return result;
}

/* Exit code of the verdict; -1: it could not be built or written. */
static int report(const struct parse_options *options, const struct record *record, struct error *e)
{
	json_t *result = result_build(record, NULL, NULL);
	bool to_stdout = options->json_path && is_stdin(options->json_path);
	int code;

	if (!result)
		return error_set(e, TK_EXIT_FAIL, "out of memory for the result");
	code = result_exit_code(result);
	if (options->echo && !options->quiet)
		putchar('\n');
	if (!options->quiet && !to_stdout)
		summary_print(result, stdout, options->verbose, false);
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
	struct parse_options options = {0};
	struct error e;
	int code;

	argv[0] = (char *)"tickvm parse";
	argp_err_exit_status = TK_EXIT_USAGE;
	argp_parse(&parser, argc, argv, 0, NULL, &options);
	code = parse(&options, &e);
	if (code >= 0)
		return code;
	fprintf(stderr, "tickvm: %s\n", e.text);
	return e.exit_code;
}
