/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What the patch series adds to <linux/kvm.h>, for programs that are built
 * against a stock one. Each capability must be checked for before it is used.
 *
 * The capability and ioctl numbers are placeholders far above the upstream
 * ones: real numbers are given when a series is merged. All has the meaning that
 * the series' text in Documentation/virt/kvm/api.rst gives it.
 */
#ifndef TICKVM_KVM_UAPI_H
#define TICKVM_KVM_UAPI_H

#include <linux/kvm.h>

#ifndef KVM_CAP_PMTIMER
#define KVM_CAP_PMTIMER 900

/*
 * The count is floor((CLOCK_MONOTONIC in ns + offset_ns) * 3579545 / 10^9)
 * mod 2^width. The clock is that of the initial time namespace.
 */
struct kvm_pmtimer_config {
	__u16 port; /* a multiple of 4, not 0 */
	__u8 width; /* 24 or 32 */
	__u8 pad;
	__u32 flags;
	__s64 offset_ns;
	__u64 reserved[2];
};

/* VM ioctls. Only offset_ns may differ between CREATE and SET. */
#define KVM_CREATE_PMTIMER _IOW(KVMIO, 0xf0, struct kvm_pmtimer_config)
#define KVM_GET_PMTIMER	   _IOR(KVMIO, 0xf1, struct kvm_pmtimer_config)
#define KVM_SET_PMTIMER	   _IOW(KVMIO, 0xf2, struct kvm_pmtimer_config)
#endif

#ifndef KVM_CAP_HALT_POLL_TIMER
/* KVM_ENABLE_CAP on the VM: args[0] is the bound in ns; 0, the default, is off. */
#define KVM_CAP_HALT_POLL_TIMER 901
#endif

/*
 * Statistics that come with them, all of the vCPU (KVM_GET_STATS_FD on it; debugfs
 * sums them over a VM): none is shared between vCPUs, so that each is exact.
 */
#define KVM_STAT_PMTIMER_READS		    "pmtimer_reads"
#define KVM_STAT_HALT_POLL_TIMER_ATTEMPTED  "halt_poll_timer_attempted"
#define KVM_STAT_HALT_POLL_TIMER_SUCCESSFUL "halt_poll_timer_successful"

#endif
