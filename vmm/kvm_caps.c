/* What this host's KVM can do: see kvm_caps.h. */
#include "kvm_caps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "kvm/uapi.h"

#define CAP(cap) .number = (cap), .name = #cap

const struct kvm_cap kvm_caps[] = {
	{CAP(KVM_CAP_IMMEDIATE_EXIT), .use = "stopping a vCPU without a race",
	 .lack = "tickvm run is skipped (77)"},
	{CAP(KVM_CAP_IRQCHIP), .use = "interrupt controllers inside KVM",
	 .lack = "--irqchip=kernel is skipped (77)"},
	{CAP(KVM_CAP_PIT2), .use = "8254 PIT inside KVM",
	 .lack = "--irqchip=kernel is skipped (77)"},
	{CAP(KVM_CAP_SPLIT_IRQCHIP), .use = "local APICs inside KVM, I/O APIC in tickvm",
	 .lack = "--irqchip=split is skipped (77)"},
	{CAP(KVM_CAP_TSC_DEADLINE_TIMER), .use = "LAPIC timer in TSC-deadline mode",
	 .lack = "the guest's LAPIC timer has no TSC-deadline mode"},
	{CAP(KVM_CAP_GET_TSC_KHZ), .use = "frequency of the guest's TSC",
	 .lack = "the guest is not told its TSC's frequency and measures it"},
	{CAP(KVM_CAP_TSC_CONTROL), .use = "guest TSC at a rate of its own",
	 .lack = "the guest's TSC runs at the host's rate only"},
	{CAP(KVM_CAP_BINARY_STATS_FD), .use = "KVM's own counts, per VM and vCPU",
	 .lack = "results have neither kvm_stats nor KVM's exits per operation"},
	{CAP(KVM_CAP_HALT_POLL), .use = "halt polling bounded per VM",
	 .lack = "the host's halt_poll_ns holds for every VM"},
	{CAP(KVM_CAP_X86_DISABLE_EXITS),
	 .use = "MWAIT 1, HLT 2, PAUSE 4, C-states 8 without an exit",
	 .lack = "HLT and PAUSE of a guest always exit"},
	{CAP(KVM_CAP_IOEVENTFD), .use = "port write that signals an eventfd",
	 .lack = "--disk is skipped (77)"},
	{CAP(KVM_CAP_IRQFD), .use = "interrupt from an eventfd",
	 .lack = "--disk is skipped (77), unless --irqchip=split"},
	{CAP(KVM_CAP_IRQFD_RESAMPLE), .use = "level-triggered interrupt from an eventfd",
	 .lack = "a level-triggered interrupt cannot come from an eventfd"},
	{CAP(KVM_CAP_READONLY_MEM), .use = "memory that a guest can only read",
	 .lack = "--pmtimer=exitless is skipped (77)"},
	{CAP(KVM_CAP_COALESCED_PIO), .use = "port writes collected in a ring",
	 .lack = "each port write exits alone, and closing a VM waits for grace periods"},
	{CAP(KVM_CAP_X86_USER_SPACE_MSR), .use = "MSR accesses that reach the VMM",
	 .lack = "what a userspace MSR costs cannot be measured"},
	{CAP(KVM_CAP_PMTIMER), .is_patch = true, .use = "ACPI PM timer read inside KVM",
	 .lack = "--pmtimer=kernel is skipped (77)"},
	{CAP(KVM_CAP_HALT_POLL_TIMER), .is_patch = true,
	 .use = "polling when a timer is about to fire",
	 .lack = "before a timer, only the adaptive window polls"},
};

int kvm_open(struct error *e)
{
	int version, fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "/dev/kvm: %s", strerror(errno));
	version = ioctl(fd, KVM_GET_API_VERSION, 0);
	if (version == KVM_API_VERSION)
		return fd;
	close(fd);
	return error_set(e, TK_EXIT_SKIPPED, "/dev/kvm: API version is %d, not %d", version,
			 KVM_API_VERSION);
}

int kvm_cap_value(int kvm_or_vm_fd, int number)
{
	int value = ioctl(kvm_or_vm_fd, KVM_CHECK_EXTENSION, number);

	return value > 0 ? value : 0;
}

int kvm_need(int kvm_or_vm_fd, int number, struct error *e)
{
	if (kvm_cap_value(kvm_or_vm_fd, number))
		return 0;
	for (unsigned i = 0; i < KVM_CAPS; i++)
		if (kvm_caps[i].number == number)
			return error_set(e, TK_EXIT_SKIPPED, "no %s: %s", kvm_caps[i].name,
					 kvm_caps[i].lack);
	return error_set(e, TK_EXIT_SKIPPED, "no KVM capability %d", number);
}
