/*
 * `tickvm lab run`: this very tickvm goes into the lab with its image, and its result
 * comes out, is completed and printed here. The run's own options are checked here
 * first, so that a bad one costs no boot.
 */
#include "cmd_lab_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "backends/lab_protocol.h"
#include "backends/path_length_lab.h"
#include "cmd_lab_options.h"
#include "config.h"
#include "error.h"
#include "options.h"
#include "report/report.h"

#define RESULT_NAME "result.json"
#define RESULT_PATH LAB_WORK_DIR "/" RESULT_NAME
#define ARGS_MAX    256
#define SELF	    "/proc/self/exe"

/* One run in the lab. */
struct session {
	struct lab_command command;
	struct config config; /* of the run inside, as it was asked for here */
	struct lab lab;
	struct lab_job job;
	struct lab_outcome outcome;
	struct lab_counting counting;
	const char *args[ARGS_MAX];
	char program[PATH_MAX], image[PATH_MAX];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_arg(struct session *session, const char *arg)
{
	session->args[session->job.arg_count++] = arg;
}

static void add_input(struct session *session, const char *path, const char *name)
{
	session->job.inputs[session->job.input_count++] = (struct lab_input){.path = path,
									     .name = name};
}

static const char *json_path(const struct session *session)
{
	return session->command.json_path ? session->command.json_path : session->config.json_path;
}

static bool result_to_stdout(const struct session *session)
{
	return json_path(session) && !strcmp(json_path(session), "-");
}

/* Whether the word is, or ends in, what the parser took as that option's value. */
static bool is_value(const char *word, const char *value)
{
	return value && value >= word && value <= word + strlen(word);
}

/*
 * The run's words for the inside: the image by its name there, the result to a file of
 * ours, no summary. The parser points into the words, and has put the options first.
 */
static void add_run_words(struct session *session, char **words, unsigned count)
{
	const struct config *config = &session->config;
	bool past_options = false;

	add_arg(session, session->program);
	add_arg(session, "run");
	add_arg(session, "--quiet");
	add_arg(session, "--json=" RESULT_PATH);
	for (unsigned i = 1; i < count; i++) {
		past_options |= !strcmp(words[i], "--");
		if (!past_options && words[i] == config->image)
			add_arg(session, session->image);
		else if (!past_options && is_value(words[i], config->json_path))
			session->job.arg_count -= words[i] == config->json_path; /* --json FILE */
		else
			add_arg(session, words[i]);
	}
}

static int prepare_run(struct session *session, struct error *e)
{
	struct lab_command *command = &session->command;

	if (options_parse((int)command->word_count, command->words, &session->config, e))
		return -1;
	snprintf(session->program, sizeof(session->program), LAB_WORK_DIR "/tickvm");
	snprintf(session->image, sizeof(session->image), LAB_WORK_DIR "/%s",
		 base_name(session->config.image));
	add_input(session, SELF, "tickvm");
	add_input(session, session->config.image, base_name(session->config.image));
	add_run_words(session, command->words, command->word_count);
	session->job.result = RESULT_NAME;
	session->job.hold_stderr = true;
	return 0;
}

static void prepare_exec(struct session *session)
{
	struct lab_command *command = &session->command;
	const char *name = base_name(command->words[0]);

	snprintf(session->program, sizeof(session->program), LAB_WORK_DIR "/%s", name);
	add_input(session, command->words[0], name);
	add_arg(session, session->program);
	for (unsigned i = 1; i < command->word_count; i++)
		add_arg(session, command->words[i]);
}

static int prepare(struct session *session, struct error *e)
{
	struct lab_command *command = &session->command;
	struct lab_job *job = &session->job;

	if (command->word_count + 8 > ARGS_MAX)
		return error_set(e, TK_EXIT_USAGE, "lab run: too many words");
	if (command->exec)
		prepare_exec(session);
	else if (prepare_run(session, e))
		return -1;
	for (unsigned i = 0; i < command->file_count; i++)
		add_input(session, command->files[i], base_name(command->files[i]));
	for (unsigned i = 0; i < job->input_count; i++)
		if (access(job->inputs[i].path, R_OK))
			return error_set(e, TK_EXIT_USAGE, "lab run: cannot read %s",
					 job->inputs[i].path);
	job->shape = command->shape;
	job->args = session->args;
	job->trace_events = command->trace_events;
	job->trace_path = command->trace_path;
	job->gdb = command->gdb;
	job->console = command->console;
	job->timeout_ns = command->timeout_ns;
	job->out_fd = result_to_stdout(session) ? STDERR_FILENO : STDOUT_FILENO;
	return 0;
}

/* What was never built is built now; what is built is taken as it is. */
static int find_lab(struct session *session, struct error *e)
{
	const struct lab_spec *spec = &session->command.spec;

	if (lab_find(spec, &session->lab, e))
		return -1;
	if (!session->lab.kernel[0] && lab_build(spec, &session->lab, e))
		return -1;
	return lab_snapshot(&session->lab, &session->job.shape, e);
}

/* Instructions can be counted where they are the clock, and there is a result to hold them. */
static int begin_counting(struct session *session, struct error *e)
{
	const struct lab_command *command = &session->command;

	if (!command->count || command->shape.real_time || command->exec)
		return 0;
	return lab_counting_begin(&session->counting, &session->job, e);
}

/* What tickvm said inside; the reason that the summary ends with is not said twice. */
static void print_stderr(const struct session *session, const char *reason)
{
	const char *line = session->outcome.held_stderr;

	for (; line && *line; line = strchr(line, '\n') + 1) {
		int length = (int)strcspn(line, "\n");

		if (!reason || strncmp(line, "tickvm: ", 8) ||
		    strncmp(line + 8, reason, (size_t)length - 8) || reason[length - 8])
			fprintf(stderr, "%.*s\n", length, line);
		if (!line[length])
			break;
	}
}

static void name_files(const struct session *session, json_t *result)
{
	json_t *options = json_object_get(result, "options");
	const char *path = json_path(session);

	json_object_set_new(json_object_get(result, "guest"), "image",
			    json_string(session->config.image));
	json_object_set_new(options, "image", json_string(session->config.image));
	json_object_set_new(options, "json", path ? json_string(path) : json_null());
	json_object_set_new(options, "quiet", json_boolean(session->config.quiet));
}

static int report(const struct session *session, json_t *result, struct error *e)
{
	const struct config *config = &session->config;
	bool with_summary = !config->quiet && !result_to_stdout(session);
	const char *reason;
	int code;

	name_files(session, result);
	if (lab_result_add(result, &session->lab, &session->job, &session->outcome, e) ||
	    lab_counting_add(&session->counting, &session->lab, config->image, config->menu_entry,
			     session->command.profile, result, e))
		return -1;
	reason = json_string_value(json_object_get(json_object_get(result, "verdict"), "reason"));
	code = result_exit_code(result);
	if (with_summary)
		summary_print(result, stdout, config->verbose, isatty(STDOUT_FILENO));
	print_stderr(session, with_summary ? reason : NULL);
	if (json_path(session) && result_save(result, json_path(session), e))
		return -1;
	return code;
}

/* A program without a result: its code, unless L1's kernel warned. */
static int report_code(const struct session *session)
{
	const json_t *line;
	size_t i;

	print_stderr(session, NULL);
	json_array_foreach (session->outcome.warnings, i, line) {
		fprintf(stderr, "tickvm: lab: L1's kernel log: %s\n", json_string_value(line));
	}
	if (session->outcome.exit_code == TK_EXIT_PASS && i > 0)
		return TK_EXIT_FAIL;
	return session->outcome.exit_code;
}

static int judge(const struct session *session, struct error *e)
{
	const char *text = session->outcome.result;
	json_t *result;
	int code;

	if (!text)
		return report_code(session);
	result = json_loads(text, 0, NULL);
	if (!result)
		return error_set(e, TK_EXIT_FAIL, "lab: the result that came out is not JSON");
	code = report(session, result, e);
	json_decref(result);
	return code;
}

int lab_command_run(int argc, char **argv, struct error *e)
{
	static struct session session;
	int code = -1;

	if (lab_run_options(argc, argv, &session.command, e))
		return -1;
	if (prepare(&session, e) == 0 && find_lab(&session, e) == 0 &&
	    begin_counting(&session, e) == 0 &&
	    lab_run(&session.lab, &session.job, &session.outcome, e) == 0)
		code = judge(&session, e);
	fflush(stdout);
	lab_counting_end(&session.counting);
	lab_outcome_free(&session.outcome);
	options_free(&session.config);
	return code;
}
