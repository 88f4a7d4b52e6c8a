/*
 * Serving a vCPU's exits: the way from a guest's port or MMIO access to a device and
 * back, which is what this VMM is measured by. One table look-up, no lock but the
 * device's own, no allocation.
 */
#include <linux/kvm.h>
#include <string.h>

#include "machine.h"
#include "vcpu.h"

/* One instruction; count > 1 for INS and OUTS with a REP prefix. */
static void on_port(struct vcpu *vcpu)
{
	const struct bus *bus = &vcpu->machine->ports;
	const __typeof__(vcpu->run->io) *io = &vcpu->run->io;
	uint8_t *data = (uint8_t *)vcpu->run + io->data_offset;
	unsigned index = bus_find(bus, io->port);

	if (io->direction == KVM_EXIT_IO_IN) {
		vcpu_count(&vcpu->counts.port_in[index], io->count);
		for (uint32_t i = 0; i < io->count; i++, data += io->size) {
			uint64_t value = bus_read(bus, index, io->port, io->size, vcpu->index);

			memcpy(data, &value, io->size);
		}
	} else {
		vcpu_count(&vcpu->counts.port_out[index], io->count);
		for (uint32_t i = 0; i < io->count; i++, data += io->size) {
			uint64_t value = 0;

			memcpy(&value, data, io->size);
			bus_write(bus, index, io->port, io->size, vcpu->index, value);
		}
	}
}

static void on_mmio(struct vcpu *vcpu)
{
	const struct bus *bus = &vcpu->machine->mmio;
	__typeof__(vcpu->run->mmio) *mmio = &vcpu->run->mmio;
	unsigned index = bus_find(bus, mmio->phys_addr);
	uint64_t value = 0;

	if (mmio->is_write) {
		vcpu_count(&vcpu->counts.mmio_write[index], 1);
		memcpy(&value, mmio->data, mmio->len);
		bus_write(bus, index, mmio->phys_addr, mmio->len, vcpu->index, value);
	} else {
		vcpu_count(&vcpu->counts.mmio_read[index], 1);
		value = bus_read(bus, index, mmio->phys_addr, mmio->len, vcpu->index);
		memcpy(mmio->data, &value, mmio->len);
	}
}

void vcpu_serve_exit(struct vcpu *vcpu)
{
	uint32_t reason = vcpu->run->exit_reason;

	if (reason < RECORD_EXIT_REASONS)
		vcpu_count(&vcpu->counts.reason[reason], 1);
	switch (reason) {
	case KVM_EXIT_IO:
		on_port(vcpu);
		break;
	case KVM_EXIT_MMIO:
		on_mmio(vcpu);
		break;
	case KVM_EXIT_IOAPIC_EOI:
		irqchip_eoi(&vcpu->machine->irqchip, vcpu->run->eoi.vector);
		break;
	case KVM_EXIT_INTR:
	case KVM_EXIT_IRQ_WINDOW_OPEN:
		break;
	default:
		vcpu_end_by_fault(vcpu);
	}
}
