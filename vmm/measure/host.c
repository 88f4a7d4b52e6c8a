/*
 * Facts of the host: see host.h. Read once a run and within its time, so by a few
 * short reads of proc and sysfs; nothing is searched and no program is started.
 */
#include "host.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../error.h"
#include "../kvm_caps.h"

/* The parameters of KVM's modules that bear on time: halt polling, LAPIC timer, clocks, exits. */
static const struct {
	const char *module, *name;
} kvm_parameters[] = {
	{"kvm", "halt_poll_ns"},
	{"kvm", "halt_poll_ns_grow"},
	{"kvm", "halt_poll_ns_grow_start"},
	{"kvm", "halt_poll_ns_shrink"},
	{"kvm", "lapic_timer_advance"},
	{"kvm", "lapic_timer_advance_ns"},
	{"kvm", "min_timer_period_us"},
	{"kvm", "pi_inject_timer"},
	{"kvm", "kvmclock_periodic_sync"},
	{"kvm", "tsc_tolerance_ppm"},
	{"kvm", "vector_hashing"},
	{"kvm", "mmio_caching"},
	{"kvm", "nx_huge_pages"},
	{"kvm", "tdp_mmu"},
	{"kvm", "enable_pmu"},
	{"kvm", "force_emulation_prefix"},
	{"kvm_intel", "enable_apicv"},
	{"kvm_intel", "ple_gap"},
	{"kvm_intel", "ple_window"},
	{"kvm_intel", "preemption_timer"},
	{"kvm_amd", "avic"},
	{"kvm_amd", "pause_filter_count"},
	{"kvm_amd", "pause_filter_thresh"},
};
#define KVM_PARAMETERS (sizeof(kvm_parameters) / sizeof(*kvm_parameters))
_Static_assert(KVM_PARAMETERS <= sizeof(((struct host_facts *)0)->kvm_parameters) /
					 sizeof(((struct host_facts *)0)->kvm_parameters[0]),
	       "host_facts has room for each parameter");

/* The beginning of a file as a string, without a newline at its end; -1: not readable. */
static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -1;
	length = read(fd, text, size - 1);
	close(fd);
	if (length < 0)
		return -1;
	if (length > 0 && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return 0;
}

/* Value of a "key<tab>: value" line of /proc/cpuinfo, up to its newline; "" if absent. */
static const char *cpuinfo_value(const char *cpuinfo, const char *key, size_t *length)
{
	const char *line = strstr(cpuinfo, key);
	const char *value = line ? strstr(line, ": ") : NULL;

	if (!value) {
		*length = 0;
		return "";
	}
	*length = strcspn(value + 2, "\n");
	return value + 2;
}

static bool has_flag(const char *flags, size_t length, const char *flag)
{
	size_t size = strlen(flag);

	for (const char *p = flags; p < flags + length; p += strcspn(p, " \n") + 1) {
		if (!strncmp(p, flag, size) && strchr(" \n", p[size]))
			return true;
	}
	return false;
}

void host_cpu_parse(struct host_cpu *cpu, const char *cpuinfo)
{
	const char *model, *flags, *vmx_flags;
	size_t length, vmx_length;

	model = cpuinfo_value(cpuinfo, "\nmodel name", &length);
	snprintf(cpu->model, sizeof(cpu->model), "%.*s", (int)length, model);
	flags = cpuinfo_value(cpuinfo, "\nflags", &length);
	vmx_flags = cpuinfo_value(cpuinfo, "\nvmx flags", &vmx_length);
	cpu->vmx = has_flag(flags, length, "vmx");
	cpu->svm = has_flag(flags, length, "svm");
	cpu->hypervisor = has_flag(flags, length, "hypervisor");
	cpu->pause_exits = has_flag(flags, length, "pausefilter") ||
			   has_flag(vmx_flags, vmx_length, "ple");
}

enum host_kind host_kind_of(const struct host_cpu *cpu, bool kvm_usable)
{
	if (!kvm_usable)
		return HOST_NO_KVM;
	if (!cpu->vmx && !cpu->svm)
		return HOST_INTERPRETING;
	return cpu->hypervisor ? HOST_NESTED : HOST_HARDWARE;
}

static bool kvm_usable(void)
{
	struct error e;
	int fd = kvm_open(&e);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The lines of one CPU end well within the first 4 KiB. */
static void read_cpu(struct host_cpu *cpu)
{
	char cpuinfo[4096];

	if (read_text("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo)))
		cpuinfo[0] = '\0';
	host_cpu_parse(cpu, cpuinfo);
}

static void read_kvm_parameters(struct host_facts *facts)
{
	for (unsigned i = 0; i < KVM_PARAMETERS; i++) {
		char(*entry)[32] = facts->kvm_parameters[facts->kvm_parameter_count];
		char path[96];

		snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s",
			 kvm_parameters[i].module, kvm_parameters[i].name);
		if (read_text(path, entry[1], sizeof(entry[1])))
			continue;
		snprintf(entry[0], sizeof(entry[0]), "%s", kvm_parameters[i].name);
		facts->kvm_parameter_count++;
	}
}

void host_facts_read(struct host_facts *facts)
{
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(facts, 0, sizeof(*facts));
	read_cpu(&facts->cpu);
	facts->kind = host_kind_of(&facts->cpu, kvm_usable());
	if (!uname(&name))
		snprintf(facts->kernel, sizeof(facts->kernel), "%s", name.release);
	facts->cpus = cpus > 0 ? cpus : 0;
	if (getloadavg(facts->load, 3) != 3)
		memset(facts->load, 0, sizeof(facts->load));
	if (read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", facts->governor,
		      sizeof(facts->governor)))
		strcpy(facts->governor, "none");
	read_kvm_parameters(facts);
}

const char *host_kind_name(enum host_kind kind)
{
	switch (kind) {
	case HOST_HARDWARE:
		return "hardware KVM";
	case HOST_NESTED:
		return "nested KVM";
	case HOST_INTERPRETING:
		return "interpreting KVM";
	case HOST_NO_KVM:
		break;
	}
	return "no KVM";
}
