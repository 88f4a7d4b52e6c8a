/*
 * Facts of the host that every result carries: see "Hosts" in the README.
 */
#ifndef TICKVM_MEASURE_HOST_H
#define TICKVM_MEASURE_HOST_H

#include <stdbool.h>
#include <stdint.h>

enum host_kind {
	HOST_NO_KVM,	   /* /dev/kvm cannot be used */
	HOST_HARDWARE,	   /* VMX or SVM, not itself a guest */
	HOST_NESTED,	   /* VMX or SVM, and the hypervisor flag */
	HOST_INTERPRETING, /* KVM without VMX or SVM: guest ring 0 is interpreted */
};

/* What /proc/cpuinfo says of the first CPU, which stands for all. */
struct host_cpu {
	char model[64];
	bool vmx, svm;	  /* runs guests itself */
	bool hypervisor;  /* is a guest's own */
	bool pause_exits; /* a loop of PAUSE can exit: VMX "ple", SVM "pausefilter" */
};

struct host_facts {
	enum host_kind kind;
	struct host_cpu cpu;
	char kernel[96]; /* uname release */
	unsigned cpus;	 /* online */
	double load[3];
	char governor[24];		/* of CPU 0; "none" where the host has no cpufreq */
	char kvm_parameters[24][2][32]; /* name, value, of kvm.ko and the vendor's module */
	unsigned kvm_parameter_count;
};

/* From the text of /proc/cpuinfo; what it does not say is "" or false. */
void host_cpu_parse(struct host_cpu *cpu, const char *cpuinfo);

enum host_kind host_kind_of(const struct host_cpu *cpu, bool kvm_usable);

/* Never fails: what cannot be read is empty, "none" or 0. */
void host_facts_read(struct host_facts *facts);

/* "hardware KVM", "nested KVM", "interpreting KVM", "no KVM" */
const char *host_kind_name(enum host_kind kind);

#endif
