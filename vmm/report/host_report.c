/* What this host offers: see host_report.h; the man page documents each field. */
#include "host_report.h"

#include "../kvm_caps.h"
#include "../measure/host.h"
#include "json_values.h"
#include "result_parts.h"
#include "summary_parts.h"

#define HOST_SCHEMA "tickvm-host/1"

/* Not KVM's to offer, but the CPU's: told by its flags. */
static const struct kvm_cap pause_exits = {
	.name = "PAUSE exits",
	.use = "seeing a vCPU spin: VMX ple, SVM pausefilter",
	.lack = "a spinning vCPU keeps its CPU; KVM never yields to another one"};

static json_t *kvm_parameters_json(const struct host_facts *facts)
{
	json_t *parameters = json_object();

	for (unsigned i = 0; i < facts->kvm_parameter_count; i++)
		json_put(parameters, facts->kvm_parameters[i][0],
			 json_text(facts->kvm_parameters[i][1]));
	return parameters;
}

json_t *host_json(const struct host_facts *facts)
{
	json_t *host, *load;

	if (!facts)
		return json_null();
	load = json_array();
	for (unsigned i = 0; i < 3; i++)
		json_array_append_new(load, json_real(facts->load[i]));
	host = json_object();
	json_put(host, "kind", json_string(host_kind_name(facts->kind)));
	json_put(host, "cpu", json_text(facts->cpu.model));
	json_put(host, "kernel", json_text(facts->kernel));
	json_put(host, "cpus", json_u64(facts->cpus));
	json_put(host, "load", load);
	json_put(host, "governor", json_text(facts->governor));
	json_put(host, "kvm_parameters", kvm_parameters_json(facts));
	return host;
}

/* One capability; what its lack rules out goes to the list of lacks, too. */
static void add_capability(json_t *report, const struct kvm_cap *cap, bool known, int value)
{
	json_t *object = json_object();

	json_put(object, "name", json_string(cap->name));
	json_put(object, "value", known ? json_integer(value) : json_null());
	json_put(object, "use", json_string(cap->use));
	json_put(object, "upstream", json_boolean(!cap->is_patch));
	json_array_append_new(json_object_get(report, "capabilities"), object);
	if (known && !value)
		json_array_append_new(json_object_get(report, "lacks"),
				      json_sprintf("no %s: %s", cap->name, cap->lack));
}

static void add_capabilities(json_t *report, const struct host_facts *facts,
			     const struct kvm_answers *answers)
{
	if (!answers->usable)
		json_array_append_new(
			json_object_get(report, "lacks"),
			json_sprintf("%s: tickvm run is skipped (77)", answers->refusal.text));
	for (unsigned i = 0; i < KVM_CAPS; i++)
		add_capability(report, &kvm_caps[i], answers->usable, answers->values[i]);
	add_capability(report, &pause_exits, true, facts->cpu.pause_exits);
}

static bool is_patched(const struct kvm_answers *answers)
{
	for (unsigned i = 0; i < KVM_CAPS; i++)
		if (kvm_caps[i].is_patch && answers->values[i])
			return true;
	return false;
}

static json_t *kvm_json(const struct kvm_answers *answers)
{
	bool usable = answers->usable, probed = answers->probed;
	json_t *kvm = json_object();

	json_put(kvm, "usable", json_boolean(usable));
	json_put(kvm, "reason", usable ? json_null() : json_text(answers->refusal.text));
	json_put(kvm, "patched", json_boolean(is_patched(answers)));
	json_put(kvm, "probe_instructions", json_u64_if(probed, answers->probe.instructions));
	json_put(kvm, "probe_emulated", json_u64_if(probed, answers->probe.emulated));
	return kvm;
}

json_t *host_report_build(const struct host_facts *facts, const struct kvm_answers *answers)
{
	json_t *report = json_object();

	if (json_put(report, "schema", json_string(HOST_SCHEMA)) |
	    json_put(report, "tickvm", tickvm_json()) | json_put(report, "host", host_json(facts)) |
	    json_put(report, "kvm", kvm_json(answers)) |
	    json_put(report, "capabilities", json_array()) |
	    json_put(report, "lacks", json_array())) {
		json_decref(report);
		return NULL;
	}
	add_capabilities(report, facts, answers);
	return report;
}

/* ---- as text ---- */

static void print_host_lines(const json_t *report, FILE *out)
{
	const json_t *host = json_object_get(report, "host");

	fprintf(out, SUMMARY_HEADING "%s, Linux %s\n", "host", text_of(host, "kind"),
		text_of(host, "kernel"));
	fprintf(out, SUMMARY_HEADING "%s, %lld online, governor %s, load %.2f\n", "CPU",
		text_of(host, "cpu"), integer_of(host, "cpus"), text_of(host, "governor"),
		json_number_value(json_array_get(json_object_get(host, "load"), 0)));
}

static void print_kvm_lines(const json_t *kvm, FILE *out)
{
	json_int_t ran = integer_of(kvm, "probe_instructions");
	json_int_t emulated = integer_of(kvm, "probe_emulated");

	fprintf(out, SUMMARY_HEADING, "KVM");
	if (json_is_false(json_object_get(kvm, "usable"))) {
		fprintf(out, "not usable: %s\n", text_of(kvm, "reason"));
		return;
	}
	fprintf(out, "usable, %s\n",
		json_is_true(json_object_get(kvm, "patched")) ? "patched by the series in vmm/kvm"
							      : "not patched");
	if (ran)
		fprintf(out, SUMMARY_HEADING "%lld of %lld instructions of a guest emulated\n",
			"ring 0", emulated, ran);
}

static void print_capabilities(const json_t *report, FILE *out)
{
	const json_t *capability;
	size_t i;

	fprintf(out, "\n  %-26s  %5s  %s\n", "capability", "value", "for");
	json_array_foreach (json_object_get(report, "capabilities"), i, capability) {
		fprintf(out, "  %-26s  ", text_of(capability, "name"));
		if (json_is_null(json_object_get(capability, "value")))
			fprintf(out, "%5s", "-");
		else
			fprintf(out, "%5lld", integer_of(capability, "value"));
		fprintf(out, "  %s\n", text_of(capability, "use"));
	}
}

static void print_parameters(const json_t *host, FILE *out)
{
	json_t *parameters = json_object_get(host, "kvm_parameters"), *value;
	const char *name;

	if (!json_object_size(parameters))
		return;
	fprintf(out, "\n  %-26s  value\n", "parameter");
	json_object_foreach (parameters, name, value) {
		fprintf(out, "  %-26s  %s\n", name, json_string_value(value));
	}
}

static void print_lacks(const json_t *report, FILE *out)
{
	const json_t *lack;
	size_t i;

	fputc('\n', out);
	json_array_foreach (json_object_get(report, "lacks"), i, lack) {
		fprintf(out, "%s\n", json_string_value(lack));
	}
}

void host_report_print(const json_t *report, FILE *out)
{
	const json_t *host = json_object_get(report, "host");

	print_host_lines(report, out);
	print_kvm_lines(json_object_get(report, "kvm"), out);
	print_capabilities(report, out);
	print_parameters(host, out);
	print_lacks(report, out);
}
