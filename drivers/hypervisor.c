/*
 * CPUID leaves 0x40000000 and up (Linux, Documentation/virt/kvm/x86/cpuid.rst; the
 * timing leaf is VMware's, "Mechanisms to determine if software is running in a
 * VMware virtual machine", and others give it too).
 */
#include "drivers/hypervisor.h"

#include <stdbool.h>
#include <string.h>

#include "kernel/io.h"

#define FEATURES_LEAF	    1
#define FEATURES_HYPERVISOR (1u << 31) /* ECX */

#define FIRST_LEAF  0x40000000
#define SECOND_LEAF 0x40000100 /* where KVM stands when it shows Hyper-V's leaves first */
#define TIMING_LEAF 0x40000010

static bool has_hypervisor(void)
{
	return cpuid(FEATURES_LEAF, 0).ecx & FEATURES_HYPERVISOR;
}

static bool is_kvm(uint32_t base)
{
	struct cpuid id = cpuid(base, 0);
	uint32_t signature[3] = {id.ebx, id.ecx, id.edx};

	return memcmp(signature, "KVMKVMKVM\0\0\0", sizeof(signature)) == 0;
}

uint32_t hypervisor_kvm_base(void)
{
	if (!has_hypervisor())
		return 0;
	if (is_kvm(FIRST_LEAF))
		return FIRST_LEAF;
	return is_kvm(SECOND_LEAF) ? SECOND_LEAF : 0;
}

struct hypervisor_timing hypervisor_timing(void)
{
	struct hypervisor_timing timing = {0};
	struct cpuid id;

	if (!has_hypervisor() || cpuid(FIRST_LEAF, 0).eax < TIMING_LEAF)
		return timing;
	id = cpuid(TIMING_LEAF, 0);
	timing.tsc_khz = id.eax;
	timing.lapic_khz = id.ebx;
	return timing;
}
