/*
 * Serving a vCPU's exits: the way from a guest's port or MMIO access to a device and
 * back, which is what this VMM is measured by. One table look-up, no lock but the
 * device's own, no allocation.
 */
#include <linux/kvm.h>
#include <string.h>

#include "machine.h"
#include "vcpu.h"

/* Accesses of ports are 1, 2 or 4 bytes wide, and a memcpy() of any size would be a call. */
static inline void put(uint8_t *data, uint64_t value, unsigned size)
{
	switch (size) {
	case 1:
		*data = (uint8_t)value;
		break;
	case 2:
		memcpy(data, &value, 2);
		break;
	default:
		memcpy(data, &value, 4);
	}
}

static inline uint64_t get(const uint8_t *data, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, data, size == 1 ? 1 : size == 2 ? 2 : 4);
	return value;
}

/*
 * One instruction; count > 1 for INS and OUTS with a REP prefix. The request is read
 * once, since a store to the data beside it could, to the compiler, change it.
 */
static void on_port(struct vcpu *vcpu)
{
	const __typeof__(vcpu->run->io) *io = &vcpu->run->io;
	const struct bus *bus = &vcpu->machine->ports;
	uint8_t *data = (uint8_t *)vcpu->run + io->data_offset;
	uint16_t port = io->port;
	unsigned size = io->size, cpu = vcpu->index, index = bus_find_port(bus, port);
	uint32_t left = io->count;

	if (io->direction == KVM_EXIT_IO_IN) {
		vcpu_count(&vcpu->counts.port_in[index], left);
		for (; left; left--, data += size)
			put(data, bus_read(bus, index, port, size, cpu), size);
	} else {
		vcpu_count(&vcpu->counts.port_out[index], left);
		for (; left; left--, data += size)
			bus_write(bus, index, port, size, cpu, get(data, size));
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
