/*
 * A level-triggered line through an irqfd with resample (KVM_IRQFD_FLAG_RESAMPLE in
 * Documentation/virt/kvm/api.rst): KVM lowers the input at the guest's end of interrupt
 * and says so, and whoever still has a reason for it raises it again.
 *
 * It falls only then: a level that comes and goes without an interrupt taken, while the
 * input is masked, is delivered once when it is unmasked.
 */
#include <errno.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "irqchip.h"
#include "kvm_caps.h"
#include "mutant.h"

static void raise_input(const struct irq_resample *resample)
{
	const uint64_t one = 1;

	(void)!write(resample->raise_fd, &one, sizeof(one)); /* KVM takes it at once */
}

static void set_level(void *opaque, bool level)
{
	struct irq_resample *resample = opaque;

	if (!atomic_exchange(&resample->level, level) && level)
		raise_input(resample);
}

void irq_resample_run(struct irq_resample *resample)
{
	uint64_t ends;

	(void)!read(resample->ended_fd, &ends, sizeof(ends));
	if (atomic_load(&resample->level) && !MUTANT(sci_resample_ignored))
		raise_input(resample);
}

int irq_resample_open(struct irq_resample *resample, const struct irqchip *irqchip, unsigned gsi,
		      struct error *e)
{
	struct kvm_irqfd irqfd = {.gsi = gsi, .flags = KVM_IRQFD_FLAG_RESAMPLE};

	if (irqchip->kind == IRQCHIP_SPLIT)
		return error_set(e, TK_EXIT_USAGE,
				 "--sci=irqfd: with --irqchip=split the I/O APIC is not in KVM");
	if (kvm_need(irqchip->vm_fd, KVM_CAP_IRQFD_RESAMPLE, e))
		return -1;
	atomic_init(&resample->level, false);
	resample->raise_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	resample->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	irqfd.fd = (__u32)resample->raise_fd;
	irqfd.resamplefd = (__u32)resample->ended_fd;
	if (resample->raise_fd < 0 || resample->ended_fd < 0 ||
	    ioctl(irqchip->vm_fd, KVM_IRQFD, &irqfd))
		return error_set(e, TK_EXIT_SKIPPED, "--sci=irqfd: KVM_IRQFD of interrupt %u: %s",
				 gsi, strerror(errno));
	return 0;
}

struct irq_line irq_resample_line(struct irq_resample *resample)
{
	return (struct irq_line){.set = set_level, .opaque = resample};
}

void irq_resample_close(struct irq_resample *resample)
{
	if (resample->raise_fd >= 0)
		close(resample->raise_fd);
	if (resample->ended_fd >= 0)
		close(resample->ended_fd);
	resample->raise_fd = resample->ended_fd = -1;
}
