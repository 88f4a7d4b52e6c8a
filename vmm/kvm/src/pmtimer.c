// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-kernel ACPI power management timer (ACPI 6.5, section 4.8.3.3).
 *
 * A free-running counter of 3.579545 MHz, 24 or 32 bits wide, behind a 32-bit
 * I/O port.  Nothing ticks: a read derives the count from CLOCK_MONOTONIC, the
 * clock of userspace's own device models, and an offset.  Userspace can so
 * take the device over, or hand it back, without a jump.
 *
 * Only aligned 4-byte reads are served here.  All other accesses, and the
 * overflow status and interrupt (TMR_STS and TMR_EN, in the PM1 event block),
 * stay userspace's.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <kvm/iodev.h>

#include "pmtimer.h"

#define PMTIMER_HZ	3579545
#define PMTIMER_LEN	4

struct kvm_pmtimer {
	struct kvm_io_device dev;
	struct kvm *kvm;
	u16 port;
	u8 width;
	u32 mask;
	/*
	 * All that ever changes.  vCPUs read it without a lock; atomic64_t so
	 * that a 32-bit host does not see half of an update.
	 */
	atomic64_t offset_ns;
};

static int pmtimer_read(struct kvm_vcpu *vcpu, struct kvm_io_device *this,
			gpa_t addr, int len, void *val)
{
	struct kvm_pmtimer *pmt = container_of(this, struct kvm_pmtimer, dev);
	u64 ns;

	/* The bus matches accesses within the port's 4 bytes: 4 is all of it. */
	if (len != PMTIMER_LEN)
		return -EOPNOTSUPP;

	ns = ktime_get_ns() + atomic64_read(&pmt->offset_ns);
	*(u32 *)val = mul_u64_u32_div(ns, PMTIMER_HZ, NSEC_PER_SEC) & pmt->mask;
	++vcpu->stat.pmtimer_reads;
	return 0;
}

/*
 * Runs when the VM goes, or under slots_lock when the bus is given up because
 * there was no memory to remove another device from it.
 */
static void pmtimer_destructor(struct kvm_io_device *this)
{
	struct kvm_pmtimer *pmt = container_of(this, struct kvm_pmtimer, dev);

	pmt->kvm->arch.pmtimer = NULL;
	kfree(pmt);
}

static const struct kvm_io_device_ops pmtimer_ops = {
	.read = pmtimer_read,
	.destructor = pmtimer_destructor,
};

static bool pmtimer_config_valid(const struct kvm_pmtimer_config *cfg)
{
	if (cfg->flags || cfg->pad || cfg->reserved[0] || cfg->reserved[1])
		return false;
	if (cfg->width != 24 && cfg->width != 32)
		return false;
	if (!cfg->port || !IS_ALIGNED(cfg->port, PMTIMER_LEN))
		return false;
	/*
	 * The timer's time must not be negative.  From here on it grows, and
	 * has another 292 years to the end of a u64.
	 */
	return (s64)(ktime_get_ns() + cfg->offset_ns) >= 0;
}

int kvm_vm_ioctl_create_pmtimer(struct kvm *kvm, const struct kvm_pmtimer_config *cfg)
{
	struct kvm_pmtimer *pmt;
	int r;

	if (!pmtimer_config_valid(cfg))
		return -EINVAL;

	pmt = kzalloc(sizeof(*pmt), GFP_KERNEL_ACCOUNT);
	if (!pmt)
		return -ENOMEM;

	kvm_iodevice_init(&pmt->dev, &pmtimer_ops);
	pmt->kvm = kvm;
	pmt->port = cfg->port;
	pmt->width = cfg->width;
	pmt->mask = GENMASK(cfg->width - 1, 0);
	atomic64_set(&pmt->offset_ns, cfg->offset_ns);

	mutex_lock(&kvm->slots_lock);
	r = -EEXIST;
	if (!kvm->arch.pmtimer)
		r = kvm_io_bus_register_dev(kvm, KVM_PIO_BUS, pmt->port,
					    PMTIMER_LEN, &pmt->dev);
	if (!r)
		kvm->arch.pmtimer = pmt;
	mutex_unlock(&kvm->slots_lock);

	if (r)
		kfree(pmt);
	return r;
}

int kvm_vm_ioctl_get_pmtimer(struct kvm *kvm, struct kvm_pmtimer_config *cfg)
{
	struct kvm_pmtimer *pmt;
	int r = -ENXIO;

	memset(cfg, 0, sizeof(*cfg));

	mutex_lock(&kvm->slots_lock);
	pmt = kvm->arch.pmtimer;
	if (pmt) {
		cfg->port = pmt->port;
		cfg->width = pmt->width;
		cfg->offset_ns = atomic64_read(&pmt->offset_ns);
		r = 0;
	}
	mutex_unlock(&kvm->slots_lock);
	return r;
}

int kvm_vm_ioctl_set_pmtimer(struct kvm *kvm, const struct kvm_pmtimer_config *cfg)
{
	struct kvm_pmtimer *pmt;
	int r = 0;

	if (!pmtimer_config_valid(cfg))
		return -EINVAL;

	mutex_lock(&kvm->slots_lock);
	pmt = kvm->arch.pmtimer;
	if (!pmt)
		r = -ENXIO;
	else if (cfg->port != pmt->port || cfg->width != pmt->width)
		r = -EINVAL;
	else
		atomic64_set(&pmt->offset_ns, cfg->offset_ns);
	mutex_unlock(&kvm->slots_lock);
	return r;
}
