/*
 * CPUID of a vCPU: what KVM supports, with the fields that KVM leaves to the VMM
 * (SDM vol. 2 "CPUID"; Documentation/virt/kvm/x86/cpuid.rst): APIC ids, the number
 * of CPUs, and the hypervisor's frequency leaf.
 */
#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../kernel/abi.h"
#include "error.h"
#include "kvm_caps.h"
#include "machine.h"
#include "vcpu.h"

#define ENTRIES_MAX    256
#define APIC_BUS_KHZ   1000000 /* KVM's LAPIC timer counts nanoseconds */
#define LEAF_TOPOLOGY  0x0b
#define LEAF_TOPOLOGY2 0x1f
#define LEAF_KVM       0x40000000
#define LEAF_FREQUENCY 0x40000010

#define LEAF1_ECX_X2APIC       (1u << 21)
#define LEAF1_ECX_TSC_DEADLINE (1u << 24)
#define LEAF1_ECX_HYPERVISOR   (1u << 31)
#define LEAF1_EDX_HTT	       (1u << 28)

static size_t cpuid_bytes(unsigned entries)
{
	return sizeof(struct kvm_cpuid2) + entries * sizeof(struct kvm_cpuid_entry2);
}

struct kvm_cpuid2 *vcpu_supported_cpuid(int kvm_fd, struct error *e)
{
	struct kvm_cpuid2 *cpuid = calloc(1, cpuid_bytes(ENTRIES_MAX));

	if (!cpuid) {
		error_set(e, TK_EXIT_SKIPPED, "out of memory");
		return NULL;
	}
	cpuid->nent = ENTRIES_MAX;
	if (ioctl(kvm_fd, KVM_GET_SUPPORTED_CPUID, cpuid)) {
		error_set(e, TK_EXIT_SKIPPED, "KVM_GET_SUPPORTED_CPUID: %s", strerror(errno));
		free(cpuid);
		return NULL;
	}
	return cpuid;
}

/* Bits of an APIC id that tell `cpus` CPUs apart. */
static unsigned apic_id_bits(unsigned cpus)
{
	return cpus > 1 ? 32 - (unsigned)__builtin_clz(cpus - 1) : 0;
}

static void set_features(struct kvm_cpuid_entry2 *leaf1, const struct vcpu *vcpu, unsigned cpus)
{
	leaf1->ebx &= 0x0000ffff;
	leaf1->ebx |= vcpu->index << 24 | cpus << 16;
	leaf1->ecx |= LEAF1_ECX_HYPERVISOR | LEAF1_ECX_X2APIC;
	if (kvm_cap_value(vcpu->machine->kvm_fd, KVM_CAP_TSC_DEADLINE_TIMER))
		leaf1->ecx |= LEAF1_ECX_TSC_DEADLINE;
	if (cpus > 1)
		leaf1->edx |= LEAF1_EDX_HTT;
}

/* Cache leaf: cores in the package; the caches of the last level are shared by all. */
static void set_cache_sharing(struct kvm_cpuid_entry2 *leaf4, unsigned cpus)
{
	unsigned type = leaf4->eax & 0x1f, level = leaf4->eax >> 5 & 7;

	if (type == 0)
		return;
	leaf4->eax &= 0x00003fff;
	leaf4->eax |= (cpus - 1) << 26;
	if (level >= 3)
		leaf4->eax |= (cpus - 1) << 14;
}

static void add_entry(struct kvm_cpuid2 *cpuid, struct kvm_cpuid_entry2 entry)
{
	if (cpuid->nent < ENTRIES_MAX)
		cpuid->entries[cpuid->nent++] = entry;
}

/* One thread a core, `cpus` cores in the package: subleaf 0 (threads), 1 (cores), 2 (none). */
static void add_topology(struct kvm_cpuid2 *cpuid, uint32_t leaf, unsigned index, unsigned cpus)
{
	struct kvm_cpuid_entry2 entry = {
		.function = leaf, .flags = KVM_CPUID_FLAG_SIGNIFCANT_INDEX, .edx = index};

	entry.ebx = 1;
	entry.ecx = 1 << 8;
	add_entry(cpuid, entry);
	entry.index = 1;
	entry.eax = apic_id_bits(cpus);
	entry.ebx = cpus;
	entry.ecx = 2 << 8 | 1;
	add_entry(cpuid, entry);
	entry.index = 2;
	entry.eax = entry.ebx = 0;
	entry.ecx = 2;
	add_entry(cpuid, entry);
}

/* Leaves that are written anew and must not be there twice. */
static bool is_replaced(uint32_t leaf)
{
	return leaf == LEAF_TOPOLOGY || leaf == LEAF_TOPOLOGY2 || leaf == LEAF_FREQUENCY;
}

static void fix_entry(struct kvm_cpuid_entry2 *entry, const struct vcpu *vcpu, unsigned cpus)
{
	switch (entry->function) {
	case 1:
		set_features(entry, vcpu, cpus);
		break;
	case 4:
		set_cache_sharing(entry, cpus);
		break;
	case LEAF_KVM:
		if (entry->eax < LEAF_FREQUENCY)
			entry->eax = LEAF_FREQUENCY;
		break;
	}
}

static void fill(struct kvm_cpuid2 *cpuid, const struct vcpu *vcpu,
		 const struct kvm_cpuid2 *supported, unsigned cpus)
{
	uint32_t max_leaf = 0;

	for (unsigned i = 0; i < supported->nent; i++) {
		struct kvm_cpuid_entry2 entry = supported->entries[i];

		if (entry.function == 0)
			max_leaf = entry.eax;
		if (is_replaced(entry.function))
			continue;
		fix_entry(&entry, vcpu, cpus);
		add_entry(cpuid, entry);
	}
	if (max_leaf >= LEAF_TOPOLOGY)
		add_topology(cpuid, LEAF_TOPOLOGY, vcpu->index, cpus);
	if (max_leaf >= LEAF_TOPOLOGY2)
		add_topology(cpuid, LEAF_TOPOLOGY2, vcpu->index, cpus);
	add_entry(cpuid, (struct kvm_cpuid_entry2){.function = LEAF_FREQUENCY,
						   .eax = vcpu->machine->tsc_khz,
						   .ebx = APIC_BUS_KHZ});
}

int vcpu_set_cpuid(struct vcpu *vcpu, const struct kvm_cpuid2 *supported, unsigned cpus,
		   struct error *e)
{
	struct kvm_cpuid2 *cpuid = calloc(1, cpuid_bytes(ENTRIES_MAX));
	int result = 0;

	if (!cpuid)
		return error_set(e, TK_EXIT_SKIPPED, "out of memory");
	fill(cpuid, vcpu, supported, cpus);
	if (ioctl(vcpu->fd, KVM_SET_CPUID2, cpuid))
		result = error_set(e, TK_EXIT_SKIPPED, "KVM_SET_CPUID2: %s", strerror(errno));
	free(cpuid);
	return result;
}
