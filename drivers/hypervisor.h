/*
 * CPUID leaves of a hypervisor.
 */
#ifndef TICKVM_DRIVERS_HYPERVISOR_H
#define TICKVM_DRIVERS_HYPERVISOR_H

#include <stdint.h>

/* First of KVM's leaves, which may follow another interface's; 0: no KVM. */
uint32_t hypervisor_kvm_base(void);

/* The timing leaf: frequencies of the TSC and of the LAPIC timer, undivided. 0: not told. */
struct hypervisor_timing {
	uint32_t tsc_khz, lapic_khz;
};
struct hypervisor_timing hypervisor_timing(void);

#endif
