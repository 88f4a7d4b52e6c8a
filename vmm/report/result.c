/*
 * The result object, schema tickvm-result/1: see report.h; the man page documents
 * each field. Names and meanings of fields do not change within a schema number.
 */
#include <jansson.h>

#include "../config.h"
#include "../measure/record.h"
#include "../version.h"
#include "json_values.h"
#include "report.h"
#include "result_parts.h"
#include "revision.h"
#include "verdict.h"

#define RESULT_SCHEMA "tickvm-result/1"

json_t *tickvm_json(void)
{
	json_t *tickvm = json_object();

	json_put(tickvm, "version", json_string(TICKVM_VERSION));
	json_put(tickvm, "revision", json_text(TICKVM_REVISION));
	return tickvm;
}

static json_t *guest_json(const struct record *record)
{
	json_t *guest = json_object();

	json_put(guest, "image", json_text_if(record->image));
	json_put(guest, "revision", json_text_if(record->guest_revision));
	json_put(guest, "abi", json_u64_if(record->guest_abi > 0, record->guest_abi));
	json_put(guest, "cmdline", json_text(record->cmdline));
	return guest;
}

static json_t *times_json(const struct run_times *times)
{
	json_t *object = json_object();

	json_put(object, "setup", json_u64(times->setup_ns));
	json_put(object, "boot", json_u64_if(times->boot_ns > 0, times->boot_ns));
	json_put(object, "run", json_u64(times->run_ns));
	json_put(object, "close", json_u64(times->close_ns));
	json_put(object, "clock", json_u64(times->clock_ns));
	return object;
}

static json_t *stats_json(const struct kvm_stats *stats)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < stats->count; i++)
		json_put(object, stats->stats[i].name, json_u64(stats->stats[i].value));
	return object;
}

static json_t *kvm_stats_json(const struct record *record)
{
	json_t *object = json_object();

	json_put(object, "vm", stats_json(&record->vm_stats));
	json_put(object, "vcpu", stats_json(&record->vcpu_stats));
	return object;
}

static json_t *cpu_json(const struct record *record)
{
	json_t *object = json_object();

	json_put(object, "vcpu_user", json_u64(record->vcpu_cpu.user_ns));
	json_put(object, "vcpu_system", json_u64(record->vcpu_cpu.system_ns));
	json_put(object, "io_user", json_u64(record->io_cpu.user_ns));
	json_put(object, "io_system", json_u64(record->io_cpu.system_ns));
	json_put(object, "vmm_user", json_u64(record->vmm_cpu.user_ns));
	json_put(object, "vmm_system", json_u64(record->vmm_cpu.system_ns));
	return object;
}

static json_t *timers_json(const struct record *record)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < record->timer_count; i++) {
		const struct record_timer *timer = &record->timers[i];
		json_t *object = json_object();

		json_put(object, "name", json_text(timer->name));
		json_put(object, "wakeups", json_u64(timer->wakeups));
		json_put(object, "late_ns_mean",
			 json_ratio_if(true, timer->late_sum_ns, timer->wakeups));
		json_put(object, "late_ns_max",
			 json_u64_if(timer->wakeups > 0, timer->late_max_ns));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *rtc_ticks_json(const struct record *record)
{
	json_t *object = json_object();

	json_put(object, "due", json_u64(record->rtc_ticks.due));
	json_put(object, "delivered", json_u64(record->rtc_ticks.delivered));
	json_put(object, "owed", json_u64(record->rtc_ticks.owed));
	json_put(object, "dropped", json_u64(record->rtc_ticks.dropped));
	return object;
}

static json_t *memory_json(const struct record *record)
{
	json_t *object = json_object();

	json_put(object, "max_rss", json_u64(record->max_rss_kib));
	json_put(object, "besides_ram",
		 json_u64_if(record->rss_besides_ram_kib > 0, record->rss_besides_ram_kib));
	return object;
}

static json_t *checks_json(const struct record *record)
{
	static const char *const status[] = {
		[CHECK_OK] = "ok", [CHECK_FAILED] = "failed", [CHECK_SKIPPED] = "skipped"};
	json_t *array = json_array();

	for (unsigned i = 0; i < record->check_count; i++) {
		const struct check *check = &record->checks[i];
		json_t *object = json_object();

		json_put(object, "name", json_text(check->name));
		json_put(object, "status", json_string(status[check->status]));
		json_put(object, "detail", json_text(check->detail));
		json_array_append_new(array, object);
	}
	return array;
}

static void add_note(json_t *notes, unsigned count, const char *what)
{
	if (count)
		json_array_append_new(notes, json_sprintf("%s: %u", what, count));
}

/* What was lost on the way, so that no figure looks more complete than it is. */
static json_t *notes_json(const struct record *record)
{
	json_t *notes = json_array();

	add_note(notes, record->damaged_lines, "damaged lines of the guest, not used");
	add_note(notes, record->arrays_lost, "incomplete arrays of samples, not used");
	add_note(notes, record->phases_lost, "phases past the limit, not kept");
	add_note(notes, record->checks_lost, "checks past the limit, not kept");
	return notes;
}

static json_t *verdict_json(const struct record *record)
{
	struct verdict verdict = {0};
	json_t *object = json_object();

	verdict_judge(record, &verdict);
	json_put(object, "status", json_string(verdict.status));
	json_put(object, "exit_code", json_integer(verdict.exit_code));
	json_put(object, "reason", json_text(verdict.reason));
	return object;
}

/* What ran, where and how. */
static int put_circumstances(json_t *result, const struct record *record,
			     const struct config *config, const struct host_facts *host)
{
	return json_put(result, "schema", json_string(RESULT_SCHEMA)) |
	       json_put(result, "tickvm", tickvm_json()) |
	       json_put(result, "guest", guest_json(record)) |
	       json_put(result, "host", host_json(host)) |
	       json_put(result, "options", options_json(config)) |
	       json_put(result, "backend", json_text(record->backend));
}

/* What the VMM counted and timed: null for a guest that ran elsewhere. */
static int put_measured(json_t *result, const struct record *record, bool here)
{
	uint64_t instructions = record->boot_instructions;

	return json_put(result, "times_ns", here ? times_json(&record->times) : json_null()) |
	       json_put(result, "boot_instructions", json_u64_if(instructions > 0, instructions)) |
	       json_put(result, "exits", here ? exits_json(record, &record->exits) : json_null()) |
	       json_put(result, "timers", here ? timers_json(record) : json_null()) |
	       json_put(result, "rtc_ticks", here ? rtc_ticks_json(record) : json_null()) |
	       json_put(result, "syscalls", syscalls_json(record)) |
	       json_put(result, "kvm_stats", here ? kvm_stats_json(record) : json_null()) |
	       json_put(result, "cpu_ns", here ? cpu_json(record) : json_null()) |
	       json_put(result, "memory_kib", here ? memory_json(record) : json_null());
}

/* What the guest said and sent, and what became of it. */
static int put_guest_results(json_t *result, const struct record *record)
{
	return json_put(result, "planned", json_u64_if(record->planned > 0, record->planned)) |
	       json_put(result, "checks", checks_json(record)) |
	       json_put(result, "metrics", metrics_json(record)) |
	       json_put(result, "phases", phases_json(record)) |
	       json_put(result, "notes", notes_json(record)) |
	       json_put(result, "verdict", verdict_json(record));
}

json_t *result_build(const struct record *record, const struct config *config,
		     const struct host_facts *host)
{
	json_t *result = json_object();

	if (put_circumstances(result, record, config, host) ||
	    put_measured(result, record, host != NULL) || put_guest_results(result, record)) {
		json_decref(result);
		return NULL;
	}
	return result;
}

int result_exit_code(const json_t *result)
{
	const json_t *verdict = json_object_get(result, "verdict");

	return (int)json_integer_value(json_object_get(verdict, "exit_code"));
}
