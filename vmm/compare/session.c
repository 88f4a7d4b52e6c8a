/* A comparison in progress: see session.h. */
#include "session.h"

#include <math.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define TRIES 3 /* of a run that the host lets come to no verdict */

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

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

static void keep_facts(struct compare_session *session, const json_t *result)
{
	static const char *const keys[] = {"tickvm", "host"};
	const char *kind;

	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		json_t *fact = json_object_get(result, keys[i]);

		if (json_is_object(fact) && !json_object_get(session->facts, keys[i]))
			json_object_set(session->facts, keys[i], fact);
	}
	kind = json_string_value(json_object_get(json_object_get(session->facts, "host"), "kind"));
	session->host_interprets = kind && !strcmp(kind, "interpreting KVM");
}

/* 0 with `stopped` where a run is no pass: its result is then not kept. */
static int run_side(struct compare_session *session, unsigned side, struct child_run *run,
		    struct error *e)
{
	for (unsigned try = 0; try < TRIES; try++) {
		if (spec_run(&session->specs[side], run, e))
			return -1;
		if (run->exit_code != TK_EXIT_INCONCLUSIVE || try == TRIES - 1)
			break;
		json_decref(run->result);
	}
	keep_facts(session, run->result);
	if (run->exit_code == TK_EXIT_PASS && run->result)
		return 0;
	snprintf(session->stopped, sizeof(session->stopped), "%c ends with %d%s%s", "AB"[side],
		 run -> exit_code, run -> line[0] ? ": " : "", run->line);
	session->stopped_code = run->exit_code == TK_EXIT_PASS ? TK_EXIT_FAIL : run->exit_code;
	json_decref(run->result);
	return 0;
}

/* KVM's own exits are comparable only where it counts nothing else with them. */
static double kvm_exits(const struct compare_session *session, const json_t *phase)
{
	return session->host_interprets ? NAN : number(phase, "kvm_exits");
}

static void take_phase(struct compare_session *session, struct compare_row *row, unsigned side,
		       unsigned pair, const json_t *phase)
{
	double operations = number(phase, "operations");
	const json_t *exits = json_object_get(phase, "exits");

	row->operations = operations;
	row->values[COMPARE_EXITS][side][pair] = number(exits, "total") / operations;
	row->values[COMPARE_KVM_EXITS][side][pair] = kvm_exits(session, phase) / operations;
	row->values[COMPARE_CPU][side][pair] = number(phase, "vcpu_cpu_ns") / operations;
	row->values[COMPARE_TIME][side][pair] = number(phase, "wall_ns") / operations;
}

static void take_run(struct compare_session *session, unsigned side, unsigned pair,
		     const struct child_run *run)
{
	struct compare_row *whole = &session->rows[0];
	const json_t *exits = json_object_get(run->result, "exits");

	whole->values[COMPARE_EXITS][side][pair] = number(exits, "total");
	whole->values[COMPARE_KVM_EXITS][side][pair] = NAN;
	whole->values[COMPARE_CPU][side][pair] = (double)(run->user_ns + run->system_ns);
	whole->values[COMPARE_TIME][side][pair] = (double)run->wall_ns;
	for (unsigned i = 1; i < session->row_count; i++) {
		struct compare_row *row = &session->rows[i];

		take_phase(session, row, side, pair, find_phase(run->result, row->name));
	}
}

/* The phases of A that B has, too. */
static void find_rows(struct compare_session *session, const json_t *a, const json_t *b)
{
	const json_t *phase;
	size_t i;

	snprintf(session->rows[0].name, sizeof(session->rows[0].name), "run");
	session->rows[0].operations = 1;
	session->row_count = 1;
	json_array_foreach (json_object_get(a, "phases"), i, phase) {
		const char *name = json_string_value(json_object_get(phase, "name"));
		struct compare_row *row = &session->rows[session->row_count];

		if (!name || !find_phase(b, name) || session->row_count == COMPARE_ROWS_MAX)
			continue;
		snprintf(row->name, sizeof(row->name), "%s", name);
		session->row_count++;
	}
}

int compare_session_start(struct compare_session *session, struct error *e)
{
	struct child_run a = {.result = NULL}, b = {.result = NULL};
	int result;

	session->facts = json_object();
	result = run_side(session, 0, &a, e);
	if (result || session->stopped[0])
		return result;
	result = run_side(session, 1, &b, e);
	if (result == 0 && !session->stopped[0]) {
		find_rows(session, a.result, b.result);
		json_decref(b.result);
	}
	json_decref(a.result);
	return result;
}

static int run_pair(struct compare_session *session, unsigned first, struct error *e)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned side = first ^ i;
		struct child_run run;

		if (session->progress)
			fprintf(session->progress, "\r\033[Kpair %u: %c", session->pairs + 1,
				"AB"[side]);
		if (run_side(session, side, &run, e))
			return -1;
		if (session->stopped[0])
			return 0;
		take_run(session, side, session->pairs, &run);
		json_decref(run.result);
	}
	session->pairs++;
	return 0;
}

int compare_session_block(struct compare_session *session, struct error *e)
{
	for (unsigned first = 0; first < 2 && !session->stopped[0]; first++) {
		if (run_pair(session, first, e))
			return -1;
	}
	return 0;
}

void compare_session_free(struct compare_session *session)
{
	json_decref(session->facts);
	spec_free(&session->specs[0]);
	spec_free(&session->specs[1]);
}
