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

/* The parameters of kvm.ko that bear on time: halt polling, LAPIC timer, clocks, exits. */
static const char *const kvm_parameters[] = {
	"halt_poll_ns",
	"halt_poll_ns_grow",
	"halt_poll_ns_grow_start",
	"halt_poll_ns_shrink",
	"lapic_timer_advance",
	"lapic_timer_advance_ns",
	"min_timer_period_us",
	"pi_inject_timer",
	"kvmclock_periodic_sync",
	"tsc_tolerance_ppm",
	"vector_hashing",
	"mmio_caching",
	"nx_huge_pages",
	"tdp_mmu",
	"enable_pmu",
	"force_emulation_prefix",
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

static bool kvm_usable(void)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static enum host_kind kind_of(const char *flags, size_t length)
{
	if (!kvm_usable())
		return HOST_NO_KVM;
	if (!has_flag(flags, length, "vmx") && !has_flag(flags, length, "svm"))
		return HOST_INTERPRETING;
	return has_flag(flags, length, "hypervisor") ? HOST_NESTED : HOST_HARDWARE;
}

/* The first CPU stands for all; its lines end well within the first 4 KiB. */
static void read_cpu(struct host_facts *facts)
{
	char cpuinfo[4096];
	const char *model, *flags;
	size_t length;

	if (read_text("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo)))
		cpuinfo[0] = '\0';
	model = cpuinfo_value(cpuinfo, "\nmodel name", &length);
	snprintf(facts->cpu, sizeof(facts->cpu), "%.*s", (int)length, model);
	flags = cpuinfo_value(cpuinfo, "\nflags", &length);
	facts->kind = kind_of(flags, length);
}

static void read_kvm_parameters(struct host_facts *facts)
{
	for (unsigned i = 0; i < KVM_PARAMETERS; i++) {
		char(*entry)[32] = facts->kvm_parameters[facts->kvm_parameter_count];
		char path[96];

		snprintf(path, sizeof(path), "/sys/module/kvm/parameters/%s", kvm_parameters[i]);
		if (read_text(path, entry[1], sizeof(entry[1])))
			continue;
		snprintf(entry[0], sizeof(entry[0]), "%s", kvm_parameters[i]);
		facts->kvm_parameter_count++;
	}
}

void host_facts_read(struct host_facts *facts)
{
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(facts, 0, sizeof(*facts));
	read_cpu(facts);
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
