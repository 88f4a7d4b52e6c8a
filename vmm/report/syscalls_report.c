/* The VMM's system calls: JSON, and the table that thread 003 has, strace -c's. */
#include <stdlib.h>
#include <string.h>

#include "../measure/record.h"
#include "json_values.h"
#include "quantity.h"
#include "result_parts.h"
#include "summary_parts.h"
#include "table.h"

#define NS_PER_S 1e9

static const char *const methods[] = {
	[SYSCALLS_TRACEPOINTS] = "tracepoints raw_syscalls, perf_event_open(2)",
	[SYSCALLS_STRACE] = "strace -c, ptrace(2)",
};

/* The table that is being sorted: qsort() has no argument. */
static const struct syscall_count *sorting;

static int by_time(const void *left, const void *right)
{
	const struct syscall_count *a = &sorting[*(const unsigned *)left];
	const struct syscall_count *b = &sorting[*(const unsigned *)right];

	return (a->ns < b->ns) - (a->ns > b->ns);
}

static json_t *call_json(unsigned number, const struct syscall_count *count)
{
	const char *name = syscall_name(number);
	json_t *object = json_object();

	json_put(object, "name", name ? json_string(name) : json_sprintf("%u", number));
	json_put(object, "calls", json_u64(count->calls));
	json_put(object, "errors", json_u64(count->errors));
	json_put(object, "ns", json_u64(count->ns));
	return object;
}

json_t *syscalls_json(const struct record *record)
{
	const struct syscall_table *table = record->syscalls.table;
	unsigned order[SYSCALLS_MAX], used = 0;
	json_t *object, *calls;

	if (!table)
		return json_null();
	for (unsigned i = 0; i < SYSCALLS_MAX; i++) {
		if (table->counts[i].calls)
			order[used++] = i;
	}
	sorting = table->counts;
	qsort(order, used, sizeof(*order), by_time);
	calls = json_array();
	for (unsigned i = 0; i < used; i++)
		json_array_append_new(calls, call_json(order[i], &table->counts[order[i]]));
	object = json_object();
	json_put(object, "method", json_string(methods[record->syscalls.method]));
	json_put(object, "overhead_ns", json_u64(record->syscalls.overhead_ns));
	json_put(object, "lost", json_u64(table->lost));
	json_put(object, "calls", calls);
	return object;
}

static void add_row(struct table *table, const char *name, double ns, double all_ns, double calls,
		    double errors)
{
	table_cell(table, "%s", name);
	table_cell(table, "%.2f", all_ns > 0 ? ns / all_ns * 100 : 0);
	table_cell(table, "%.6f", ns / NS_PER_S);
	table_cell(table, "%s", quantity_number(calls > 0 ? ns / calls / 1000 : 0).text);
	table_cell(table, "%.0f", calls);
	if (errors > 0)
		table_cell(table, "%.0f", errors);
	else
		table_cell(table, "-");
}

void print_syscalls(const json_t *result, FILE *out)
{
	static const char *const headings[] = {"system call", "% time", "seconds",
					       "us/call",     "calls",	"errors"};
	const json_t *syscalls = json_object_get(result, "syscalls"), *call;
	double ns = 0, calls = 0, errors = 0;
	struct table table;
	size_t i;

	if (!json_is_object(syscalls))
		return;
	json_array_foreach (json_object_get(syscalls, "calls"), i, call) {
		ns += number_of(call, "ns");
		calls += number_of(call, "calls");
		errors += number_of(call, "errors");
	}
	table_init(&table, sizeof(headings) / sizeof(*headings));
	for (i = 0; i < sizeof(headings) / sizeof(*headings); i++)
		table_cell(&table, "%s", headings[i]);
	json_array_foreach (json_object_get(syscalls, "calls"), i, call)
		add_row(&table, text_of(call, "name"), number_of(call, "ns"), ns,
			number_of(call, "calls"), number_of(call, "errors"));
	add_row(&table, "total", ns, ns, calls, errors);
	table_finish(&table, out);
	fprintf(out, SUMMARY_HEADING "%s; %lld ns more a call; %lld records lost\n\n", "method",
		text_of(syscalls, "method"), integer_of(syscalls, "overhead_ns"),
		integer_of(syscalls, "lost"));
}
