/* See workload.h. */
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/json_values.h"
#include "child.h"

#define TRIES 3 /* of a run that the host lets come to no verdict */

struct row_state {
	const char *status; /* NULL: ok so far */
	char reason[240];
	double values[WORKLOAD_MEASURES_MAX][REPRO_REPEAT_MAX];
};

struct session {
	const struct workload *workload;
	const struct repro_options *options;
	const char *cmdline;
	json_t *report;
	struct row_state rows[WORKLOAD_ROWS_MAX];
};

static const json_t *find_phase(const json_t *result, const char *name)
{
	const json_t *phase;
	size_t i;

	json_array_foreach (json_object_get(result, "phases"), i, phase) {
		const char *its_name = json_string_value(json_object_get(phase, "name"));

		if (its_name && !strcmp(its_name, name))
			return phase;
	}
	return NULL;
}

static const char *status_of(int exit_code)
{
	switch (exit_code) {
	case TK_EXIT_SKIPPED:
		return "skipped";
	case TK_EXIT_INCONCLUSIVE:
		return "inconclusive";
	default:
		return "failed";
	}
}

static int run_row(const struct workload *workload, unsigned row, const char *cmdline,
		   const struct repro_options *options, struct child_run *run, struct error *e)
{
	const char *words[CHILD_WORDS_MAX] = {NULL};
	unsigned count = 0;

	if (options->mutant) {
		words[count++] = "--mutant";
		words[count++] = options->mutant;
	}
	for (unsigned i = 0; workload->rows[row].options[i]; i++)
		words[count++] = workload->rows[row].options[i];
	for (unsigned i = 0; workload->options && workload->options[i]; i++)
		words[count++] = workload->options[i];
	for (unsigned try = 0; try < TRIES; try++) {
		if (child_run(words, options->image, cmdline, run, e))
			return -1;
		if (run->exit_code != TK_EXIT_INCONCLUSIVE || try == TRIES - 1)
			break;
		json_decref(run->result);
	}
	if (run->exit_code != TK_EXIT_USAGE)
		return 0;
	json_decref(run->result);
	return error_set(e, TK_EXIT_USAGE, "repro: %s: %.200s", workload->rows[row].name,
			 run->line);
}

static void say_progress(const struct session *session, unsigned row, unsigned round)
{
	if (session->options->progress)
		fprintf(session->options->progress, "\r\033[K%s %u/%u: %s", session->workload->key,
			round + 1, session->options->repeat, session->workload->rows[row].name);
}

static void keep_host(json_t *report, const json_t *result)
{
	static const char *const keys[] = {"tickvm", "host"};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!json_object_get(report, keys[i]))
			json_object_set(report, keys[i], json_object_get(result, keys[i]));
	}
}

static void take_result(struct session *session, struct row_state *row, unsigned round,
			const struct child_run *run)
{
	const struct workload *workload = session->workload;
	const json_t *phase = find_phase(run->result, workload->phase);

	if (run->exit_code != TK_EXIT_PASS || !phase) {
		row->status = status_of(run->exit_code);
		snprintf(row->reason, sizeof(row->reason), "%s",
			 run->exit_code == TK_EXIT_PASS ? "the guest reports no such phase"
							: run->line);
		return;
	}
	keep_host(session->report, run->result);
	for (unsigned i = 0; i < workload->measure_count; i++)
		row->values[i][round] = workload->measures[i].of(run->result, phase);
}

static int run_round(struct session *session, unsigned round, struct error *e)
{
	unsigned count = session->workload->row_count;

	for (unsigned i = 0; i < count; i++) {
		unsigned index = round % 2 ? count - 1 - i : i;
		struct row_state *row = &session->rows[index];
		struct child_run run;

		if (row->status)
			continue;
		say_progress(session, index, round);
		if (run_row(session->workload, index, session->cmdline, session->options, &run, e))
			return -1;
		take_result(session, row, round, &run);
		json_decref(run.result);
	}
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* {median, min, max}, or null when one is not known. Sorts the values. */
static json_t *spread_of(double *values, unsigned count)
{
	double middle;
	json_t *spread;

	for (unsigned i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			return json_null();
	}
	qsort(values, count, sizeof(*values), compare_doubles);
	middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
	spread = json_object();
	json_put(spread, "median", json_real(middle));
	json_put(spread, "min", json_real(values[0]));
	json_put(spread, "max", json_real(values[count - 1]));
	return spread;
}

/* The first row's over this one's, round by round, so that both saw the same host. */
static json_t *ratio_of(const struct session *session, unsigned row)
{
	unsigned measure = session->workload->ratio_of;
	double ratios[REPRO_REPEAT_MAX];

	if (session->rows[0].status)
		return json_null();
	for (unsigned i = 0; i < session->options->repeat; i++)
		ratios[i] = session->rows[0].values[measure][i] /
			    session->rows[row].values[measure][i];
	return spread_of(ratios, session->options->repeat);
}

static json_t *options_of(const struct workload_row *row)
{
	json_t *options = json_array();

	for (unsigned i = 0; row->options[i]; i++)
		json_array_append_new(options, json_string(row->options[i]));
	return options;
}

static json_t *row_object(const struct session *session, unsigned index)
{
	const struct row_state *row = &session->rows[index];
	json_t *object = json_object();

	json_put(object, "name", json_string(session->workload->rows[index].name));
	json_put(object, "options", options_of(&session->workload->rows[index]));
	json_put(object, "status", json_string(row->status ? row->status : "ok"));
	json_put(object, "reason", row->status ? json_text(row->reason) : json_null());
	if (!row->status)
		json_put(object, "ratio", ratio_of(session, index));
	return object;
}

/* Ratios first: a measure's values are sorted when its spread is taken. */
static json_t *rows_array(struct session *session)
{
	const struct workload *workload = session->workload;
	json_t *rows = json_array(), *object;
	size_t i;

	for (unsigned row = 0; row < workload->row_count; row++)
		json_array_append_new(rows, row_object(session, row));
	json_array_foreach (rows, i, object) {
		for (unsigned k = 0; !session->rows[i].status && k < workload->measure_count; k++)
			json_put(object, workload->measures[k].key,
				 spread_of(session->rows[i].values[k], session->options->repeat));
	}
	return rows;
}

int workload_run(const struct workload *workload, const char *cmdline,
		 const struct repro_options *options, json_t *report, struct error *e)
{
	struct session *session = calloc(1, sizeof(*session));
	int result = 0;

	if (!session)
		return error_set(e, TK_EXIT_FAIL, "out of memory");
	session->workload = workload;
	session->options = options;
	session->cmdline = cmdline;
	session->report = report;
	for (unsigned round = 0; round < options->repeat && result == 0; round++)
		result = run_round(session, round, e);
	if (options->progress)
		fputs("\r\033[K", options->progress);
	if (result == 0)
		json_put(report, workload->key, rows_array(session));
	free(session);
	return result;
}

double workload_probe(const struct workload *workload, unsigned row, const char *cmdline,
		      const struct repro_options *options, unsigned measure, char why[240],
		      struct error *e)
{
	const json_t *phase;
	struct child_run run;
	double value = NAN;

	e->text[0] = 0;
	if (run_row(workload, row, cmdline, options, &run, e))
		return NAN;
	phase = find_phase(run.result, workload->phase);
	if (run.exit_code == TK_EXIT_PASS && phase)
		value = workload->measures[measure].of(run.result, phase);
	snprintf(why, sizeof(run.line), "%s", run.line);
	json_decref(run.result);
	return value;
}

double row_figure(const json_t *row, const char *key, const char *which)
{
	const json_t *figure = json_object_get(json_object_get(row, key), which);

	return json_is_number(figure) ? json_number_value(figure) : NAN;
}

bool row_is_ok(const json_t *row)
{
	return !strcmp(json_string_value(json_object_get(row, "status")), "ok");
}
