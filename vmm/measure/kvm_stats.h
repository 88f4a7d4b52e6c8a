/*
 * KVM's own statistics of a VM or vCPU, through its statistics file descriptor
 * (Documentation/virt/kvm/api.rst, KVM_GET_STATS_FD).
 *
 * The names and offsets are the same for all vCPUs, so they are read once, as a
 * layout; a value is then 8 bytes at a known offset, cheap enough to read while
 * the guest runs.
 */
#ifndef TICKVM_MEASURE_KVM_STATS_H
#define TICKVM_MEASURE_KVM_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

struct kvm_stats_layout {
	struct kvm_stats_entry {
		char name[48];
		uint64_t offset; /* in the file */
	} * entries;		 /* scalars only: histograms are left out */
	unsigned count;		 /* 0: this KVM has no statistics file */
};

/* The statistics file of a VM or vCPU; -1: this KVM has none. */
int kvm_stats_open(int vm_or_vcpu_fd);

/* Reads the layout of an open statistics file; leaves it empty if that fails. */
void kvm_stats_layout_read(struct kvm_stats_layout *layout, int stats_fd);
void kvm_stats_layout_free(struct kvm_stats_layout *layout);

/* Where the statistic `name` is in the file; 0: there is none of this name. */
uint64_t kvm_stats_find(const struct kvm_stats_layout *layout, const char *name);

/* One value at an offset that kvm_stats_find() gave; 0 if it cannot be read. */
uint64_t kvm_stats_value(int stats_fd, uint64_t offset);

/* Adds all values of an open file to `sum`, which is filled with the names first if empty. */
void kvm_stats_add(struct kvm_stats *sum, const struct kvm_stats_layout *layout, int stats_fd);

#endif
