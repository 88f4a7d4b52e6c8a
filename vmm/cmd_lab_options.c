/* The command lines of `tickvm lab build` and `run`: see cmd_lab_options.h. */
#include "cmd_lab_options.h"

#include <argp.h>
#include <string.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"
#include "options.h"

#define TIMEOUT_DEFAULT_NS (180 * NS_PER_S)
#define TRACE_DEFAULT	   "trace.txt"

enum option_key {
	KEY_STOCK = 256,
	KEY_PATCHED,
	KEY_KERNEL,
	KEY_TREE,
	KEY_DEBUG,
	KEY_REAL_TIME,
	KEY_CPUS,
	KEY_TRACE,
	KEY_TRACE_FILE,
	KEY_GDB,
	KEY_CONSOLE,
	KEY_JSON,
	KEY_TIMEOUT,
	KEY_FILE,
	KEY_PROFILE,
	KEY_NO_COUNT,
};

/* Which lab: of both commands. */
#define SPEC_OPTIONS                                                                                 \
	{"stock", KEY_STOCK, NULL, 0, "KVM as Debian has it (the default)", 0},                      \
		{"patched", KEY_PATCHED, NULL, 0, "with the series of vmm/kvm/", 0},                 \
		{"kernel", KEY_KERNEL, "VERSION", 0, "Debian's Linux of that version, such as 6.12", \
		 0},                                                                                 \
		{"tree", KEY_TREE, "DIR", 0, "KVM of a kernel tree", 0},                             \
		{"debug",                                                                            \
		 KEY_DEBUG,                                                                          \
		 NULL,                                                                               \
		 0,                                                                                  \
		 "a whole kernel with lockdep and KASAN: minutes to build",                          \
		 0},                                                                                 \
		{"real-time", KEY_REAL_TIME, NULL, 0, "no instruction counting", 0},                 \
	{                                                                                            \
		"cpus", KEY_CPUS, "N", 0, "CPUs of L1, 1 to 16; more than 1 with --real-time (1)",   \
			0                                                                            \
	}

static const struct argp_option build_options[] = {SPEC_OPTIONS, {0}};

static const struct argp_option run_options[] = {
	SPEC_OPTIONS,
	{"json", KEY_JSON, "FILE", 0, "write the result; - for stdout", 0},
	{"profile", KEY_PROFILE, NULL, 0, "instructions by symbol, in the result", 0},
	{"no-count", KEY_NO_COUNT, NULL, 0, "no path lengths: faster", 0},
	{"trace", KEY_TRACE, "EVENTS", 0, "kernel trace events: kvm:*, or a list with commas", 0},
	{"trace-file", KEY_TRACE_FILE, "FILE", 0, "where they go (" TRACE_DEFAULT ")", 0},
	{"gdb", KEY_GDB, "WHEN", OPTION_ARG_OPTIONAL,
	 "wait for gdb at port 1234: at L1's start, or run: where the run begins", 0},
	{"console", KEY_CONSOLE, NULL, 0, "L1's kernel console to stderr", 0},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "end after 10, 10s or 500ms with code 124 (180s)", 0},
	{"file", KEY_FILE, "FILE", 0, "one more file for L1's /run", 0},
	{0}};

struct parse {
	struct lab_command *command;
	struct error *error;
	bool kvm_given;
};

static int take_kvm(enum lab_kvm kvm, struct parse *parse)
{
	struct lab_spec *spec = &parse->command->spec;

	if (parse->kvm_given && spec->kvm != kvm)
		return error_set(parse->error, TK_EXIT_USAGE,
				 "lab: one of --stock, --patched and --tree, please");
	parse->kvm_given = true;
	spec->kvm = kvm;
	return 0;
}

static int take_cpus(const char *text, struct parse *parse)
{
	uint64_t value;

	if (option_number("--cpus", text, 1, LAB_CPUS_MAX, &value, parse->error))
		return -1;
	parse->command->shape.cpus = (unsigned)value;
	return 0;
}

static int take_gdb(const char *text, struct parse *parse)
{
	if (!text || !strcmp(text, "start"))
		parse->command->gdb = LAB_GDB_START;
	else if (!strcmp(text, "run"))
		parse->command->gdb = LAB_GDB_RUN;
	else
		return error_set(parse->error, TK_EXIT_USAGE, "--gdb: %s is not start or run",
				 text);
	return 0;
}

static int take_file(const char *text, struct parse *parse)
{
	struct lab_command *command = parse->command;

	/* Two places are the program's and the image's. */
	if (command->file_count + 2 >= LAB_INPUTS_MAX)
		return error_set(parse->error, TK_EXIT_USAGE, "--file: more than %d files",
				 LAB_INPUTS_MAX - 2);
	command->files[command->file_count++] = text;
	return 0;
}

static int take_spec(int key, char *text, struct parse *parse)
{
	struct lab_command *command = parse->command;

	switch (key) {
	case KEY_STOCK:
		return take_kvm(LAB_STOCK, parse);
	case KEY_PATCHED:
		return take_kvm(LAB_PATCHED, parse);
	case KEY_TREE:
		command->spec.tree = text;
		return take_kvm(LAB_TREE, parse);
	case KEY_KERNEL:
		command->spec.kernel = text;
		return 0;
	case KEY_DEBUG:
		command->spec.debug = true;
		return 0;
	case KEY_REAL_TIME:
		command->shape.real_time = true;
		return 0;
	case KEY_CPUS:
		return take_cpus(text, parse);
	default:
		return error_set(parse->error, TK_EXIT_USAGE, "lab: %s is not wanted here", text);
	}
}

static int take_key(int key, char *text, struct parse *parse)
{
	struct lab_command *command = parse->command;

	switch (key) {
	case KEY_JSON:
		command->json_path = text;
		return 0;
	case KEY_PROFILE:
		command->profile = true;
		return 0;
	case KEY_NO_COUNT:
		command->count = false;
		return 0;
	case KEY_TRACE:
		command->trace_events = text;
		return 0;
	case KEY_TRACE_FILE:
		command->trace_path = text;
		return 0;
	case KEY_GDB:
		return take_gdb(text, parse);
	case KEY_CONSOLE:
		command->console = true;
		return 0;
	case KEY_TIMEOUT:
		return option_duration("--timeout", text, &command->timeout_ns, parse->error);
	case KEY_FILE:
		return take_file(text, parse);
	default:
		return take_spec(key, text, parse);
	}
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	if (key >= ARGP_KEY_END)
		return option_event(key, state);
	return take_key(key, text, state->input) ? EINVAL : 0;
}

/* QEMU 7.2's instruction counting hands the CPU over too late for L1's second one to start. */
static int check_shape(const struct lab_shape *shape, struct error *e)
{
	if (shape->cpus == 1 || shape->real_time)
		return 0;
	return error_set(e, TK_EXIT_SKIPPED,
			 "lab: --cpus=%u: the emulator counts instructions of one CPU only; "
			 "add --real-time",
			 shape->cpus);
}

static int parse_words(const struct argp *argp, int argc, char **argv, struct lab_command *command,
		       struct error *e)
{
	struct parse parse = {.command = command, .error = e};

	memset(command, 0, sizeof(*command));
	command->shape.cpus = 1;
	command->count = true;
	command->timeout_ns = TIMEOUT_DEFAULT_NS;
	command->trace_path = TRACE_DEFAULT;
	e->text[0] = 0;
	e->exit_code = TK_EXIT_USAGE;
	if (argp_parse(argp, argc, argv, 0, NULL, &parse))
		return -1;
	return check_shape(&command->shape, e);
}

int lab_build_options(int argc, char **argv, struct lab_command *command, struct error *e)
{
	static const struct argp argp = {
		.options = build_options,
		.parser = on_key,
		.doc = "Build a lab: a nested host with a KVM of one's choice, booted and "
		       "snapshotted. What did not change is kept.\v"
		       "--tree with --kernel loads the tree's KVM into that kernel, which must "
		       "be of its series."};
	static char name[] = "tickvm lab build";

	argv[0] = name;
	return parse_words(&argp, argc, argv, command, e);
}

/* Where our own options end: at "--", or at --exec, which is the last of them. */
static int find_end(int argc, char **argv, bool *exec)
{
	for (int i = 1; i < argc; i++) {
		*exec = !strcmp(argv[i], "--exec");
		if (*exec || !strcmp(argv[i], "--"))
			return i;
	}
	return argc;
}

int lab_run_options(int argc, char **argv, struct lab_command *command, struct error *e)
{
	static const struct argp argp = {
		.options = run_options,
		.parser = on_key,
		.args_doc = "-- run [OPTION...] IMAGE [-- GUEST COMMAND LINE]\n"
			    "--exec PROGRAM [ARGUMENT...]",
		.doc = "Run tickvm, or a static program, in a lab.\v"
		       "Exit codes: those of what runs; 1 when L1's kernel warns or dies, 2 bad "
		       "option, 77 this machine cannot, 124 time-out."};
	static char name[] = "tickvm lab run";
	bool exec = false;
	int end = find_end(argc, argv, &exec);

	argv[0] = name;
	if (parse_words(&argp, end, argv, command, e))
		return -1;
	command->exec = exec;
	command->words = argv + end + 1;
	command->word_count = end < argc ? (unsigned)(argc - end - 1) : 0;
	if (!command->word_count)
		return error_set(e, TK_EXIT_USAGE,
				 "lab run: nothing to run; tickvm lab run --help says more");
	if (!exec && strcmp(command->words[0], "run"))
		return error_set(e, TK_EXIT_USAGE, "lab run: %s cannot run in the lab, only run",
				 command->words[0]);
	return 0;
}
