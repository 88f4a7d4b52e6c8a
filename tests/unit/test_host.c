/* The kind of host, from the text of /proc/cpuinfo; the table of what KVM may lack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/error.h"
#include "vmm/kvm/uapi.h"
#include "vmm/kvm_caps.h"
#include "vmm/measure/host.h"

#define CPUINFO(model, flags)         \
	"processor\t: 0\n"            \
	"vendor_id\t: GenuineIntel\n" \
	"model\t\t: 85\n"             \
	"model name\t: " model "\n"   \
	"flags\t\t: " flags "\n"      \
	"bugs\t\t: spectre_v1\n\n"    \
	"processor\t: 1\n"            \
	"model name\t: another\n"     \
	"flags\t\t: fpu\n"

static const struct {
	const char *cpuinfo;
	bool kvm_usable;
	enum host_kind kind;
	const char *model;
	bool pause_exits;
} hosts[] = {
	{CPUINFO("Xeon", "fpu vmx sse2\nvmx flags\t: vnmi ple ept"), true, HOST_HARDWARE, "Xeon",
	 true},
	{CPUINFO("Xeon", "fpu vmx\nvmx flags\t: vnmi ept"), true, HOST_HARDWARE, "Xeon", false},
	{CPUINFO("EPYC", "fpu svm npt pausefilter pfthreshold"), true, HOST_HARDWARE, "EPYC", true},
	{CPUINFO("Xeon", "vmx hypervisor\nvmx flags\t: ept ple"), true, HOST_NESTED, "Xeon", true},
	{CPUINFO("QEMU TCG", "fpu hypervisor svm"), true, HOST_NESTED, "QEMU TCG", false},
	{CPUINFO("EPYC", "fpu hypervisor"), true, HOST_INTERPRETING, "EPYC", false},
	{CPUINFO("EPYC", "fpu svm"), false, HOST_NO_KVM, "EPYC", false},
	/* A flag is a whole word, of its own line and of the first CPU. */
	{CPUINFO("svm", "svm_lock xsvm vmx2"), true, HOST_INTERPRETING, "svm", false},
	{CPUINFO("A", "fpu") "flags\t\t: svm\n", true, HOST_INTERPRETING, "A", false},
	{CPUINFO("A", "ple sample"), true, HOST_INTERPRETING, "A", false},
	/* Cut off, without the lines, empty. */
	{"processor\t: 0\nmodel name\t: A\nflags\t\t: svm", true, HOST_HARDWARE, "A", false},
	{"processor\t: 0\nmodel name", true, HOST_INTERPRETING, "", false},
	{"", true, HOST_INTERPRETING, "", false},
	{"", false, HOST_NO_KVM, "", false},
};

static void kinds(void **state)
{
	for (unsigned i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct host_cpu cpu;

		memset(&cpu, 0xff, sizeof(cpu));
		host_cpu_parse(&cpu, hosts[i].cpuinfo);
		assert_int_equal(host_kind_of(&cpu, hosts[i].kvm_usable), hosts[i].kind);
		assert_string_equal(cpu.model, hosts[i].model);
		assert_int_equal(cpu.pause_exits, hosts[i].pause_exits);
	}
}

static void long_model_name_is_cut(void **state)
{
	static const char text[] = "processor\t: 0\nmodel name\t: "
				   "0123456789012345678901234567890123456789"
				   "0123456789012345678901234567890123456789\n";
	struct host_cpu cpu;

	host_cpu_parse(&cpu, text);
	assert_int_equal(strlen(cpu.model), sizeof(cpu.model) - 1);
}

static void kinds_have_names(void **state)
{
	assert_string_equal(host_kind_name(HOST_HARDWARE), "hardware KVM");
	assert_string_equal(host_kind_name(HOST_NESTED), "nested KVM");
	assert_string_equal(host_kind_name(HOST_INTERPRETING), "interpreting KVM");
	assert_string_equal(host_kind_name(HOST_NO_KVM), "no KVM");
}

/* Facts of this host, whatever it is. */
static void facts_are_whole(void **state)
{
	struct host_facts facts;

	host_facts_read(&facts);
	assert_true(facts.cpus > 0);
	assert_true(strlen(facts.kernel) > 0);
	assert_true(strlen(facts.governor) > 0);
	for (unsigned i = 0; i < facts.kvm_parameter_count; i++)
		assert_true(strlen(facts.kvm_parameters[i][0]) > 0);
}

static void each_capability_is_there_once(void **state)
{
	for (unsigned i = 0; i < KVM_CAPS; i++) {
		assert_true(strlen(kvm_caps[i].name) > 0);
		assert_true(strlen(kvm_caps[i].use) > 0);
		assert_true(strlen(kvm_caps[i].lack) > 0);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(kvm_caps[k].number, kvm_caps[i].number);
	}
}

/* No descriptor, no capability: every need is refused, in the words of the table. */
static void a_lack_is_a_skip_that_says_what_it_rules_out(void **state)
{
	struct error e;

	assert_int_equal(kvm_cap_value(-1, KVM_CAP_PMTIMER), 0);
	assert_int_equal(kvm_need(-1, KVM_CAP_PMTIMER, &e), -1);
	assert_int_equal(e.exit_code, 77);
	assert_string_equal(e.text, "no KVM_CAP_PMTIMER: --pmtimer=kernel is skipped (77)");
	assert_int_equal(kvm_need(-1, KVM_CAP_SPLIT_IRQCHIP, &e), -1);
	assert_string_equal(e.text, "no KVM_CAP_SPLIT_IRQCHIP: --irqchip=split is skipped (77)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(long_model_name_is_cut),
		cmocka_unit_test(kinds_have_names),
		cmocka_unit_test(facts_are_whole),
		cmocka_unit_test(each_capability_is_there_once),
		cmocka_unit_test(a_lack_is_a_skip_that_says_what_it_rules_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
