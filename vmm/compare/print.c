/* A comparison as a table, and as JSON. */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "../report/json_values.h"
#include "../report/quantity.h"
#include "../report/report.h"
#include "../report/summary_parts.h"
#include "../report/table.h"

static json_t *real_if(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *answer_json(const struct compare_answer *answer)
{
	const struct paired *paired = &answer->paired;
	json_t *object = json_object();

	json_put(object, "finding", json_string(compare_finding_names[answer->finding]));
	json_put(object, "a", real_if(answer->a));
	json_put(object, "b", real_if(answer->b));
	if (!paired->n)
		return object;
	json_put(object, "ratio", real_if(paired->ratio));
	json_put(object, "low", real_if(paired->low));
	json_put(object, "high", real_if(paired->high));
	json_put(object, "p", real_if(paired->p));
	return object;
}

static json_t *row_json(const struct compare_session *session, unsigned index,
			const struct compare_answer *answers)
{
	static const char *const keys[COMPARE_MEASURES] = {
		[COMPARE_EXITS] = "exits_to_userspace",
		[COMPARE_KVM_EXITS] = "kvm_exits",
		[COMPARE_CPU] = "cpu_ns",
		[COMPARE_TIME] = "time_ns",
	};
	json_t *object = json_object();

	json_put(object, "name", json_text(session->rows[index].name));
	json_put(object, "operations", real_if(session->rows[index].operations));
	for (unsigned i = 0; i < COMPARE_MEASURES; i++) {
		if (answers[i].finding != FINDING_UNKNOWN)
			json_put(object, keys[i], answer_json(&answers[i]));
	}
	return object;
}

json_t *compare_rows_json(const struct compare_session *session,
			  const struct compare_judgement *judgement)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < session->row_count; i++)
		json_array_append_new(rows, row_json(session, i, judgement->answers[i]));
	return rows;
}

static void value_cell(struct table *table, enum compare_measure measure, double value)
{
	bool is_time = measure == COMPARE_CPU || measure == COMPARE_TIME;

	table_cell(table, "%s", is_time ? quantity_time(value).text : quantity_number(value).text);
}

static void answer_cells(struct table *table, const struct compare_session *session, unsigned row,
			 enum compare_measure measure, const struct compare_answer *answer)
{
	const struct paired *paired = &answer->paired;

	table_cell(table, "%s", session->rows[row].name);
	table_cell(table, "%s", compare_measure_names[measure]);
	value_cell(table, measure, answer->a);
	value_cell(table, measure, answer->b);
	if (paired->n) {
		table_cell(table, "%.4f", paired->ratio);
		table_cell(table, "%.4f-%.4f", paired->low, paired->high);
		table_cell(table, "%.2g", paired->p);
	} else {
		table_cell(table, answer->a > 0 ? "%.4f" : "-", answer->b / answer->a);
		table_cell(table, "-");
		table_cell(table, "-");
	}
	table_cell(table, "%s%s", compare_finding_names[answer->finding],
		   compare_is_judged(session, row, measure) ? "" : " (shown only)");
}

void compare_print(const struct compare_session *session, const struct compare_judgement *judgement,
		   const json_t *report, FILE *out)
{
	static const char *const headings[] = {"per operation of", "",	"A",	  "B", "B/A",
					       "99 % interval",	   "p", "finding"};
	struct table table;

	fprintf(out, "A        %s\nB        %s\n", text_of(report, "a"), text_of(report, "b"));
	print_host(report, out);
	fprintf(out, "runs     %u pairs, in turns ABBA, one of each dropped before\n\n",
		session->pairs);
	if (!session->pairs) {
		print_verdict(report, out, summary_wants_colour(out));
		return;
	}
	table_init(&table, sizeof(headings) / sizeof(*headings));
	for (unsigned i = 0; i < sizeof(headings) / sizeof(*headings); i++)
		table_cell(&table, "%s", headings[i]);
	for (unsigned row = 0; row < session->row_count; row++) {
		for (unsigned measure = 0; measure < COMPARE_MEASURES; measure++) {
			const struct compare_answer *answer = &judgement->answers[row][measure];

			if (answer->finding != FINDING_UNKNOWN)
				answer_cells(&table, session, row, measure, answer);
		}
	}
	table_finish(&table, out);
	fputc('\n', out);
	print_verdict(report, out, summary_wants_colour(out));
}
