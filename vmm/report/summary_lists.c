/* The lists of the summary: checks, exits, KVM statistics. */
#include "summary_parts.h"

#include <string.h>

#define CHECKS_SHOWN 20 /* without --verbose */
#define LINE_WIDTH   96

static bool has_status(const json_t *check, const char *status)
{
	return !strcmp(text_of(check, "status"), status);
}

static unsigned count_status(const json_t *checks, const char *status)
{
	unsigned count = 0;
	const json_t *check;
	size_t i;

	json_array_foreach (checks, i, check) {
		count += has_status(check, status);
	}
	return count;
}

static void print_check(const json_t *check, FILE *out)
{
	const char *detail = text_of(check, "detail");

	fprintf(out, "  %-8s %s%s%s\n", text_of(check, "status"), text_of(check, "name"),
		detail[0] ? ": " : "", detail);
}

/* Up to `limit` checks of one status; then how many more there are. */
static void print_checks_of(const json_t *checks, const char *status, unsigned limit, FILE *out)
{
	unsigned count = 0;
	const json_t *check;
	size_t i;

	json_array_foreach (checks, i, check) {
		if (has_status(check, status) && count++ < limit)
			print_check(check, out);
	}
	if (count > limit)
		fprintf(out, "  ... and %u more %s (--verbose shows them)\n", count - limit,
			status);
}

void print_checks(const json_t *result, FILE *out, bool verbose)
{
	const json_t *checks = json_object_get(result, "checks");
	unsigned limit = verbose ? json_array_size(checks) : CHECKS_SHOWN;

	if (json_array_size(checks) == 0)
		return;
	fprintf(out, SUMMARY_HEADING "%u ok, %u failed, %u skipped", "checks",
		count_status(checks, "ok"), count_status(checks, "failed"),
		count_status(checks, "skipped"));
	if (integer_of(result, "planned"))
		fprintf(out, ", %lld planned", integer_of(result, "planned"));
	fputc('\n', out);
	print_checks_of(checks, "failed", limit, out);
	print_checks_of(checks, "skipped", limit, out);
	if (verbose)
		print_checks_of(checks, "ok", limit, out);
}

/* A list of items that goes on in the next line, below its first item. */
struct list {
	FILE *out;
	const char *heading;
	int column;
};

static void list_item(struct list *list, const char *item)
{
	int length = (int)strlen(item);

	if (list->column && list->column + 2 + length <= LINE_WIDTH) {
		list->column += fprintf(list->out, ", %s", item);
		return;
	}
	if (list->column)
		fputs(",\n", list->out);
	list->column = fprintf(list->out, SUMMARY_HEADING "%s", list->heading, item);
	list->heading = "";
}

static void list_end(struct list *list)
{
	if (list->column)
		fputc('\n', list->out);
}

static void print_reasons(const json_t *exits, FILE *out)
{
	struct list list = {.out = out, .heading = "exits"};
	json_t *reasons = json_object_get(exits, "by_reason");
	const char *reason;
	json_t *count;
	char item[80];

	if (!integer_of(exits, "total"))
		return;
	snprintf(item, sizeof(item), "%lld to userspace", integer_of(exits, "total"));
	list_item(&list, item);
	json_object_foreach (reasons, reason, count) {
		snprintf(item, sizeof(item), "%s %lld", reason, json_integer_value(count));
		list_item(&list, item);
	}
	list_end(&list);
}

static void print_ports(const json_t *exits, FILE *out)
{
	struct list list = {.out = out, .heading = "ports"};
	const json_t *port;
	char item[120];
	size_t i;

	json_array_foreach (json_object_get(exits, "ports"), i, port) {
		snprintf(item, sizeof(item), "%s %#llx in %lld out %lld", text_of(port, "name"),
			 integer_of(port, "port"), integer_of(port, "in"), integer_of(port, "out"));
		list_item(&list, item);
	}
	list_end(&list);
}

static void print_mmio(const json_t *exits, FILE *out)
{
	struct list list = {.out = out, .heading = "MMIO"};
	const json_t *region;
	char item[120];
	size_t i;

	json_array_foreach (json_object_get(exits, "mmio"), i, region) {
		snprintf(item, sizeof(item), "%s read %lld write %lld", text_of(region, "name"),
			 integer_of(region, "read"), integer_of(region, "write"));
		list_item(&list, item);
	}
	list_end(&list);
}

void print_exits(const json_t *result, FILE *out)
{
	const json_t *exits = json_object_get(result, "exits");

	print_reasons(exits, out);
	print_ports(exits, out);
	print_mmio(exits, out);
}

/* What bears on time: exits, halts and their polling, interrupts, yields, interpretation. */
static bool is_selected(const char *name)
{
	static const char *const selected[] = {
		"exits",
		"insn_emulation",
		"halt_exits",
		"halt_wakeup",
		"halt_attempted_poll",
		"halt_successful_poll",
		"halt_poll_success_ns",
		"halt_poll_fail_ns",
		"halt_wait_ns",
		"irq_injections",
		"irq_window_exits",
		"nmi_injections",
		"signal_exits",
		"directed_yield_attempted",
		"directed_yield_successful",
	};

	for (unsigned i = 0; i < sizeof(selected) / sizeof(*selected); i++) {
		if (!strcmp(name, selected[i]))
			return true;
	}
	return false;
}

static void list_stats(struct list *list, json_t *stats, bool all)
{
	const char *name;
	json_t *value;
	char item[96];

	json_object_foreach (stats, name, value) {
		if (!all && (!json_integer_value(value) || !is_selected(name)))
			continue;
		snprintf(item, sizeof(item), "%s %lld", name, json_integer_value(value));
		list_item(list, item);
	}
}

void print_kvm_stats(const json_t *result, FILE *out, bool verbose)
{
	const json_t *stats = json_object_get(result, "kvm_stats");
	struct list list = {.out = out, .heading = "KVM"};

	list_stats(&list, json_object_get(stats, "vcpu"), verbose);
	list_stats(&list, json_object_get(stats, "vm"), verbose);
	list_end(&list);
}
