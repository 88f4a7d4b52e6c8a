/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __KVM_PMTIMER_H
#define __KVM_PMTIMER_H

#include <linux/kvm_host.h>

int kvm_vm_ioctl_create_pmtimer(struct kvm *kvm, const struct kvm_pmtimer_config *cfg);
int kvm_vm_ioctl_get_pmtimer(struct kvm *kvm, struct kvm_pmtimer_config *cfg);
int kvm_vm_ioctl_set_pmtimer(struct kvm *kvm, const struct kvm_pmtimer_config *cfg);

#endif
