/*
 * What runs the guest's ring 0 here, the CPU or an interpreter: a machine of one vCPU
 * runs a few instructions and KVM's own count says how many of them it emulated.
 */
#ifndef TICKVM_MACHINE_PROBE_H
#define TICKVM_MACHINE_PROBE_H

#include <stdint.h>

struct error;

struct machine_probe {
	uint64_t instructions; /* that the guest ran */
	uint64_t emulated;     /* of these, by KVM's statistics */
};

/* -1: no such machine can be had here, or KVM has no statistics. */
int machine_probe(struct machine_probe *probe, struct error *e);

#endif
