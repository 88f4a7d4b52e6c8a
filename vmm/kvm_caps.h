/*
 * What this host's KVM can do (KVM_CHECK_EXTENSION in Documentation/virt/kvm/api.rst),
 * and what tickvm cannot do where it lacks it: one table for every skip and for
 * `tickvm host`, so that both say the same.
 */
#ifndef TICKVM_KVM_CAPS_H
#define TICKVM_KVM_CAPS_H

#include <stdbool.h>

struct error;

struct kvm_cap {
	int number;
	bool is_patch; /* not upstream: of the series in vmm/kvm */
	const char *name;
	const char *use;
	const char *lack; /* what its lack rules out */
};

#define KVM_CAPS 18
extern const struct kvm_cap kvm_caps[KVM_CAPS];

/* Opens /dev/kvm. -1, exit code 77: it is not there, not ours to use, or no KVM that we know. */
int kvm_open(struct error *e);

/* KVM's answer for a capability, from /dev/kvm or a VM; 0: it lacks it. */
int kvm_cap_value(int kvm_or_vm_fd, int number);

/* -1, exit code 77: KVM lacks the capability; the line says what that rules out. */
int kvm_need(int kvm_or_vm_fd, int number, struct error *e);

#endif
