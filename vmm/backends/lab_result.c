/*
 * L1's result becomes the lab's: where it ran is added, names are those of the files
 * outside, and a kernel that warned has failed, whatever the guest found.
 */
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/json_values.h"
#include "lab.h"

static json_t *text_or_null(const char *text)
{
	return text[0] ? json_text(text) : json_null();
}

static json_t *lab_json(const struct lab *lab, const struct lab_job *job,
			const struct lab_outcome *outcome)
{
	json_t *object = json_object();

	json_put(object, "name", json_text(lab->name));
	json_put(object, "kvm", json_text(lab->kvm_name));
	json_put(object, "kernel", json_text(lab->kernel));
	json_put(object, "modules", json_text(lab->modules));
	json_put(object, "tree", text_or_null(lab->tree));
	json_put(object, "cpus", json_u64(job->shape.cpus));
	json_put(object, "real_time", json_boolean(job->shape.real_time));
	json_put(object, "retries", json_u64(outcome->retries));
	json_put(object, "wall_ns", json_u64(outcome->wall_ns));
	json_put(object, "kernel_log", json_deep_copy(outcome->warnings));
	return object;
}

static void put_warning(json_t *result, const char *line)
{
	json_t *verdict = json_object_get(result, "verdict");

	if (json_integer_value(json_object_get(verdict, "exit_code")) != TK_EXIT_PASS)
		return;
	json_put(verdict, "status", json_string("fail"));
	json_put(verdict, "exit_code", json_integer(TK_EXIT_FAIL));
	json_put(verdict, "reason", json_sprintf("L1's kernel log: %s", line));
}

int lab_result_add(json_t *result, const struct lab *lab, const struct lab_job *job,
		   const struct lab_outcome *outcome, struct error *e)
{
	const char *line = json_string_value(json_array_get(outcome->warnings, 0));
	const char *judge = job->shape.real_time ? "time" : "path length";

	if (json_put(result, "backend", json_string("lab")) |
	    json_put(result, "judge", json_string(judge)) |
	    json_put(result, "lab", lab_json(lab, job, outcome)))
		return error_set(e, TK_EXIT_FAIL, "lab: out of memory for the result");
	if (line)
		put_warning(result, line);
	return 0;
}
