/*
 * Edges from threads other than the vCPUs': through an irqfd into KVM's controllers,
 * or on the line of the I/O APIC that is here (split).
 *
 * Edge rather than level (which would need an irqfd with resample and an exit at each
 * end of interrupt): the inputs used are ISA's, edge-triggered by ACPI's rule where the
 * MADT has no override, and virtio's interrupt status survives a lost level.
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

int irqchip_edge_open(struct irqchip *irqchip, unsigned gsi, struct irq_edge *edge, struct error *e)
{
	struct kvm_irqfd irqfd = {.gsi = gsi};

	edge->irqchip = irqchip;
	edge->gsi = gsi;
	edge->event_fd = -1;
	atomic_init(&edge->level, false);
	if (irqchip->kind == IRQCHIP_SPLIT)
		return 0;
	if (kvm_need(irqchip->vm_fd, KVM_CAP_IRQFD, e))
		return -1;
	edge->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	irqfd.fd = (__u32)edge->event_fd;
	if (edge->event_fd < 0 || ioctl(irqchip->vm_fd, KVM_IRQFD, &irqfd))
		return error_set(e, TK_EXIT_SKIPPED, "KVM_IRQFD of interrupt %u: %s", gsi,
				 strerror(errno));
	return 0;
}

void irqchip_edge_close(struct irq_edge *edge)
{
	if (edge->event_fd >= 0)
		close(edge->event_fd);
	edge->event_fd = -1;
}

void irqchip_edge_send(const struct irq_edge *edge)
{
	const uint64_t one = 1;

	if (edge->irqchip->kind == IRQCHIP_SPLIT) {
		ioapic_set_line(&edge->irqchip->ioapic, edge->gsi, true);
		ioapic_set_line(&edge->irqchip->ioapic, edge->gsi, false);
		return;
	}
	(void)!write(edge->event_fd, &one, sizeof(one)); /* a worker of KVM's injects it */
}

static void set_level(void *opaque, bool level)
{
	struct irq_edge *edge = opaque;

	if (atomic_exchange(&edge->level, level) != level && level)
		irqchip_edge_send(edge);
}

struct irq_line irqchip_edge_line(struct irq_edge *edge)
{
	return (struct irq_line){.set = set_level, .opaque = edge};
}
