/*
 * Facts of the host that every result carries: see kvm-hosts in the README.
 */
#ifndef TICKVM_MEASURE_HOST_H
#define TICKVM_MEASURE_HOST_H

#include <stdint.h>

enum host_kind {
	HOST_NO_KVM,	   /* /dev/kvm cannot be used */
	HOST_HARDWARE,	   /* VMX or SVM, not itself a guest */
	HOST_NESTED,	   /* VMX or SVM, and the hypervisor flag */
	HOST_INTERPRETING, /* KVM without VMX or SVM: guest ring 0 is interpreted */
};

struct host_facts {
	enum host_kind kind;
	char cpu[64];	 /* model name */
	char kernel[96]; /* uname release */
	unsigned cpus;	 /* online */
	double load[3];
	char governor[24];		/* of CPU 0; "none" where the host has no cpufreq */
	char kvm_parameters[16][2][32]; /* name, value, from /sys/module/kvm/parameters */
	unsigned kvm_parameter_count;
};

/* Never fails: what cannot be read is empty, "none" or 0. */
void host_facts_read(struct host_facts *facts);

/* "hardware KVM", "nested KVM", "interpreting KVM", "no KVM" */
const char *host_kind_name(enum host_kind kind);

#endif
