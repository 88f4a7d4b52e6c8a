/*
 * The command lines of `tickvm lab build` and `tickvm lab run`.
 */
#ifndef TICKVM_CMD_LAB_OPTIONS_H
#define TICKVM_CMD_LAB_OPTIONS_H

#include "backends/lab.h"

struct error;

struct lab_command {
	struct lab_spec spec;
	struct lab_shape shape;
	const char *json_path;
	const char *trace_events, *trace_path;
	const char *files[LAB_INPUTS_MAX]; /* more files to bring in */
	unsigned file_count;
	bool console, profile, count;
	int gdb; /* as in struct lab_job */
	uint64_t timeout_ns;
	bool exec;    /* `words` are a program of its own and its arguments */
	char **words; /* what is to run; NULL: nothing was named */
	unsigned word_count;
};

/*
 * argv[0] is "build" or "run". --help prints and exits. -1: a bad option or value; the
 * text of *e is empty where getopt has said it already.
 */
int lab_build_options(int argc, char **argv, struct lab_command *command, struct error *e);
int lab_run_options(int argc, char **argv, struct lab_command *command, struct error *e);

#endif
