/* Interrupt controllers of the machine: see irqchip.h. */
#include "irqchip.h"

#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../kernel/abi.h"
#include "error.h"
#include "kvm_caps.h"
#include "machine_map.h"
#include "mutant.h"

#define ROUTING_BYTES(entries) \
	(sizeof(struct kvm_irq_routing) + (entries) * sizeof(struct kvm_irq_routing_entry))

static void set_line_in_kvm(void *opaque, bool level)
{
	struct irqchip_line *line = opaque;
	struct kvm_irq_level irq = {.irq = line->gsi, .level = level};

	if (atomic_exchange_explicit(&line->level, level, memory_order_relaxed) != level)
		ioctl(line->irqchip->vm_fd, KVM_IRQ_LINE, &irq);
	irq.level = 0;
	if (MUTANT(sci_pulse) && line->gsi == MAP_SCI_GSI)
		ioctl(line->irqchip->vm_fd, KVM_IRQ_LINE, &irq);
}

static void set_line_in_ioapic(void *opaque, bool level)
{
	struct irqchip_line *line = opaque;

	ioapic_set_line(&line->irqchip->ioapic, line->gsi, level);
}

struct irq_line irqchip_line(struct irqchip *irqchip, unsigned gsi)
{
	struct irq_line line = {.opaque = &irqchip->lines[gsi]};

	line.set = irqchip->kind == IRQCHIP_SPLIT ? set_line_in_ioapic : set_line_in_kvm;
	return line;
}

/* A message that finds no CPU (say, a pin aimed at an APIC id that is not there) is lost. */
static void deliver_msi(void *opaque, uint64_t address, uint32_t data)
{
	const struct irqchip *irqchip = opaque;
	struct kvm_msi msi = {.address_lo = (uint32_t)address,
			      .address_hi = (uint32_t)(address >> 32),
			      .data = data};

	ioctl(irqchip->vm_fd, KVM_SIGNAL_MSI, &msi);
}

static struct kvm_irq_routing *read_routes(const struct irqchip *irqchip)
{
	struct kvm_irq_routing *routing = calloc(1, ROUTING_BYTES(IOAPIC_PINS));

	if (!routing)
		return NULL;
	for (unsigned pin = 0; pin < IOAPIC_PINS; pin++) {
		struct kvm_irq_routing_entry *entry = &routing->entries[routing->nr];
		uint64_t address;
		uint32_t data;
		bool masked;

		ioapic_message(&irqchip->ioapic, pin, &address, &data, &masked);
		if (masked)
			continue;
		entry->gsi = pin;
		entry->type = KVM_IRQ_ROUTING_MSI;
		entry->u.msi.address_lo = (uint32_t)address;
		entry->u.msi.address_hi = (uint32_t)(address >> 32);
		entry->u.msi.data = data;
		routing->nr++;
	}
	return routing;
}

/*
 * KVM looks through the routes for level-triggered vectors whose end of interrupt it
 * has to tell (KVM_EXIT_IOAPIC_EOI); the messages themselves go by KVM_SIGNAL_MSI.
 * Called by the I/O APIC under its lock, which so guards `routing` too.
 */
static void update_routes(void *opaque)
{
	struct irqchip *irqchip = opaque;
	struct kvm_irq_routing *routing = read_routes(irqchip), *old = irqchip->routing;

	if (!routing)
		return;
	if (old && old->nr == routing->nr && !memcmp(old, routing, ROUTING_BYTES(old->nr))) {
		free(routing); /* telling KVM costs a grace period: only when there is news */
		return;
	}
	ioctl(irqchip->vm_fd, KVM_SET_GSI_ROUTING, routing);
	irqchip->routing = routing;
	free(old);
}

static int create_split(struct irqchip *irqchip, struct error *e)
{
	const struct ioapic_ops ops = {
		.deliver = deliver_msi, .routes_changed = update_routes, .opaque = irqchip};
	struct kvm_enable_cap cap = {.cap = KVM_CAP_SPLIT_IRQCHIP, .args = {IOAPIC_PINS}};

	if (kvm_need(irqchip->vm_fd, KVM_CAP_SPLIT_IRQCHIP, e))
		return -1;
	if (ioctl(irqchip->vm_fd, KVM_ENABLE_CAP, &cap))
		return error_set(e, TK_EXIT_SKIPPED, "--irqchip=split: KVM_ENABLE_CAP: %s",
				 strerror(errno));
	ioapic_init(&irqchip->ioapic, &ops);
	return 0;
}

static int create_in_kvm(struct irqchip *irqchip, struct error *e)
{
	if (kvm_need(irqchip->vm_fd, KVM_CAP_IRQCHIP, e) ||
	    kvm_need(irqchip->vm_fd, KVM_CAP_PIT2, e))
		return -1;
	if (ioctl(irqchip->vm_fd, KVM_CREATE_IRQCHIP, 0))
		return error_set(e, TK_EXIT_SKIPPED, "--irqchip=kernel: KVM_CREATE_IRQCHIP: %s",
				 strerror(errno));
	pthread_mutex_init(&irqchip->pit_lock, NULL);
	return 0;
}

int irqchip_create(struct irqchip *irqchip, int vm_fd, enum irqchip_kind kind, struct error *e)
{
	irqchip->vm_fd = vm_fd;
	irqchip->kind = kind;
	for (unsigned gsi = 0; gsi < IOAPIC_PINS; gsi++) {
		irqchip->lines[gsi].irqchip = irqchip;
		irqchip->lines[gsi].gsi = gsi;
	}
	return kind == IRQCHIP_SPLIT ? create_split(irqchip, e) : create_in_kvm(irqchip, e);
}

void irqchip_free(struct irqchip *irqchip)
{
	free(irqchip->routing);
	irqchip->routing = NULL;
}

int irqchip_add_regions(struct irqchip *irqchip, struct bus *ports, struct bus *mmio,
			struct error *e)
{
	struct bus_region ioapic, pit, gate;

	if (irqchip->kind == IRQCHIP_SPLIT) {
		ioapic = ioapic_region(&irqchip->ioapic, MAP_IOAPIC_BASE, NULL);
		return bus_add(mmio, &ioapic, e);
	}
	pit = irqchip_pit_region(irqchip);
	gate = irqchip_gate_region(irqchip);
	return bus_add(ports, &pit, e) || bus_add(ports, &gate, e) ? -1 : 0;
}

/*
 * Each controller on KVM's buses replaced a table, which is freed after a grace period
 * of SRCU. Closing the VM waits for them: 6 to 13 ms when nothing presses. Taking a
 * device off a bus does press, here a port whose writes KVM would collect.
 */
void irqchip_settle(const struct irqchip *irqchip)
{
	struct kvm_coalesced_mmio_zone zone = {.addr = MAP_UNUSED_PORT, .size = 1, .pio = 1};

	if (irqchip->kind == IRQCHIP_SPLIT || !kvm_cap_value(irqchip->vm_fd, KVM_CAP_COALESCED_PIO))
		return;
	if (ioctl(irqchip->vm_fd, KVM_REGISTER_COALESCED_MMIO, &zone) == 0)
		ioctl(irqchip->vm_fd, KVM_UNREGISTER_COALESCED_MMIO, &zone);
}

void irqchip_eoi(struct irqchip *irqchip, uint8_t vector)
{
	if (irqchip->kind == IRQCHIP_SPLIT)
		ioapic_eoi(&irqchip->ioapic, vector);
}
