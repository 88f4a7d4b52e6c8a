/*
 * Exits to userspace, and phases, as JSON. Reasons have KVM's names
 * (Documentation/virt/kvm/api.rst, "The kvm_run structure") in small letters.
 */
#include <linux/kvm.h>
#include <stdio.h>

#include "../measure/record.h"
#include "json_values.h"
#include "result_parts.h"

static const char *const reason_names[RECORD_EXIT_REASONS] = {
	[KVM_EXIT_UNKNOWN] = "unknown",
	[KVM_EXIT_EXCEPTION] = "exception",
	[KVM_EXIT_IO] = "io",
	[KVM_EXIT_HYPERCALL] = "hypercall",
	[KVM_EXIT_DEBUG] = "debug",
	[KVM_EXIT_HLT] = "hlt",
	[KVM_EXIT_MMIO] = "mmio",
	[KVM_EXIT_IRQ_WINDOW_OPEN] = "irq_window_open",
	[KVM_EXIT_SHUTDOWN] = "shutdown",
	[KVM_EXIT_FAIL_ENTRY] = "fail_entry",
	[KVM_EXIT_INTR] = "intr",
	[KVM_EXIT_SET_TPR] = "set_tpr",
	[KVM_EXIT_TPR_ACCESS] = "tpr_access",
	[KVM_EXIT_NMI] = "nmi",
	[KVM_EXIT_INTERNAL_ERROR] = "internal_error",
	[KVM_EXIT_SYSTEM_EVENT] = "system_event",
	[KVM_EXIT_IOAPIC_EOI] = "ioapic_eoi",
	[KVM_EXIT_X86_RDMSR] = "rdmsr",
	[KVM_EXIT_X86_WRMSR] = "wrmsr",
	[KVM_EXIT_X86_BUS_LOCK] = "bus_lock",
	[KVM_EXIT_NOTIFY] = "notify",
};

static json_t *by_reason(const struct exit_counts *counts)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < RECORD_EXIT_REASONS; i++) {
		char number[16];

		snprintf(number, sizeof(number), "reason_%u", i);
		if (counts->reason[i])
			json_put(object, reason_names[i] ? reason_names[i] : number,
				 json_u64(counts->reason[i]));
	}
	return object;
}

static json_t *by_port(const struct record *record, const struct exit_counts *counts)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < RECORD_REGIONS && record->port_names[i]; i++) {
		json_t *port;

		if (!counts->port_in[i] && !counts->port_out[i])
			continue;
		port = json_object();
		json_put(port, "name", json_text(record->port_names[i]));
		json_put(port, "port", json_integer(record->port_bases[i]));
		json_put(port, "in", json_u64(counts->port_in[i]));
		json_put(port, "out", json_u64(counts->port_out[i]));
		json_array_append_new(array, port);
	}
	return array;
}

static json_t *by_mmio(const struct record *record, const struct exit_counts *counts)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < RECORD_REGIONS && record->mmio_names[i]; i++) {
		json_t *region;

		if (!counts->mmio_read[i] && !counts->mmio_write[i])
			continue;
		region = json_object();
		json_put(region, "name", json_text(record->mmio_names[i]));
		json_put(region, "read", json_u64(counts->mmio_read[i]));
		json_put(region, "write", json_u64(counts->mmio_write[i]));
		json_array_append_new(array, region);
	}
	return array;
}

json_t *exits_json(const struct record *record, const struct exit_counts *counts)
{
	json_t *exits = json_object();

	json_put(exits, "total", json_u64(exit_counts_total(counts)));
	json_put(exits, "by_reason", by_reason(counts));
	json_put(exits, "ports", by_port(record, counts));
	json_put(exits, "mmio", by_mmio(record, counts));
	return exits;
}

static json_t *per_operation(const struct phase *phase)
{
	uint64_t count = phase->operations, instructions = phase->guest_instructions;
	json_t *object = json_object();

	json_put(object, "exits_to_userspace",
		 json_ratio_if(true, exit_counts_total(&phase->exits), count));
	json_put(object, "kvm_exits",
		 json_ratio_if(phase->kvm_exits_known, phase->kvm_exits, count));
	json_put(object, "cpu_ns", json_ratio_if(true, phase->vcpu_cpu_ns, count));
	json_put(object, "instructions", json_ratio_if(instructions > 0, instructions, count));
	return object;
}

static json_t *phase_json(const struct record *record, const struct phase *phase)
{
	uint64_t instructions = phase->guest_instructions;
	json_t *object = json_object();

	json_put(object, "name", json_text(phase->name));
	json_put(object, "operations", json_u64(phase->operations));
	json_put(object, "wall_ns", json_u64(phase->wall_ns));
	json_put(object, "vcpu_cpu_ns", json_u64(phase->vcpu_cpu_ns));
	json_put(object, "io_cpu_ns", json_u64(phase->io_cpu_ns));
	json_put(object, "kvm_exits", json_u64_if(phase->kvm_exits_known, phase->kvm_exits));
	json_put(object, "guest_instructions", json_u64_if(instructions > 0, instructions));
	json_put(object, "per_operation", per_operation(phase));
	json_put(object, "exits", exits_json(record, &phase->exits));
	return object;
}

json_t *phases_json(const struct record *record)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < record->phase_count; i++)
		json_array_append_new(array, phase_json(record, &record->phases[i]));
	return array;
}
