/* The tables of the summary: metrics and phases. */
#include "quantity.h"
#include "summary_parts.h"
#include "table.h"

#include <string.h>

static const char *const order_statistics[] = {"min", "p50", "p90", "p99", "max"};
#define ORDER_STATISTICS (sizeof(order_statistics) / sizeof(*order_statistics))

/* Times in one unit a row, that of the median; anything else is a count as it is. */
static void metric_row(struct table *table, const json_t *metric)
{
	bool is_time = !strcmp(text_of(metric, "unit"), "ns");
	struct time_unit unit = time_unit_of(number_of(metric, "p50"));
	bool scaled = is_time && unit.ns > 1;

	table_cell(table, "%s", text_of(metric, "name"));
	table_cell(table, "%lld", integer_of(metric, "n"));
	for (unsigned i = 0; i < ORDER_STATISTICS; i++) {
		const char *key = order_statistics[i];

		if (scaled)
			table_cell(table, "%s",
				   quantity_number(number_of(metric, key) / unit.ns).text);
		else
			table_cell(table, "%lld", integer_of(metric, key));
	}
	table_cell(table, "%s", scaled ? unit.name : text_of(metric, "unit"));
}

void print_metrics(const json_t *result, FILE *out)
{
	const json_t *metrics = json_object_get(result, "metrics");
	struct table table;
	const json_t *metric;
	size_t i;

	if (json_array_size(metrics) == 0)
		return;
	table_init(&table, 3 + ORDER_STATISTICS);
	table_cell(&table, "metric");
	table_cell(&table, "n");
	for (unsigned k = 0; k < ORDER_STATISTICS; k++)
		table_cell(&table, "%s", order_statistics[k]);
	table_cell(&table, "unit");
	json_array_foreach (metrics, i, metric) {
		metric_row(&table, metric);
	}
	table_finish(&table, out);
	fputc('\n', out);
}

/* "-": this host does not count it. */
static void per_operation_cell(struct table *table, const json_t *phase, const char *key)
{
	const json_t *ratio = json_object_get(json_object_get(phase, "per_operation"), key);

	if (json_is_number(ratio))
		table_cell(table, "%s", quantity_number(json_number_value(ratio)).text);
	else
		table_cell(table, "-");
}

void print_phases(const json_t *result, FILE *out)
{
	const json_t *phases = json_object_get(result, "phases");
	struct table table;
	const json_t *phase;
	size_t i;

	if (json_array_size(phases) == 0)
		return;
	table_init(&table, 6);
	table_cell(&table, "phase");
	table_cell(&table, "operations");
	table_cell(&table, "user exits/op");
	table_cell(&table, "KVM exits/op");
	table_cell(&table, "CPU ns/op");
	table_cell(&table, "instructions/op");
	json_array_foreach (phases, i, phase) {
		table_cell(&table, "%s", text_of(phase, "name"));
		table_cell(&table, "%lld", integer_of(phase, "operations"));
		per_operation_cell(&table, phase, "exits_to_userspace");
		per_operation_cell(&table, phase, "kvm_exits");
		per_operation_cell(&table, phase, "cpu_ns");
		per_operation_cell(&table, phase, "instructions");
	}
	table_finish(&table, out);
	fputc('\n', out);
}
