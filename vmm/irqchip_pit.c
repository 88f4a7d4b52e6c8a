/*
 * The PIT (Intel 8254) in KVM, made when the guest first touches its ports.
 *
 * Closing a VM that has one waits for two grace periods, 15 ms, more than a small
 * guest runs; and most guests here never look at it. Until it is programmed it
 * neither counts nor interrupts, so that nobody can tell that it was not there.
 * The access that finds it missing is done here, on its state; all that follow are
 * served by KVM and never reach the bus.
 */
#include <linux/kvm.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "irqchip.h"
#include "machine_map.h"

#define PIT_PORT      0x40
#define PIT_CONTROL   3 /* offset of the control word; the counters are 0 to 2 */
#define PIT_PORTS     4
#define GATE_PORT     0x61 /* gate of counter 2 and loudspeaker */
#define GATE_ENABLE   0x01
#define GATE_SPEAKER  0x02
#define PIC_INPUTS    8 /* of each of the two */
#define READ_BACK     3
#define PIT_MODE_LAST 5

static void add_route(struct kvm_irq_routing *routing, unsigned gsi, unsigned chip, unsigned pin)
{
	struct kvm_irq_routing_entry *entry = &routing->entries[routing->nr++];

	entry->gsi = gsi;
	entry->type = KVM_IRQ_ROUTING_IRQCHIP;
	entry->u.irqchip.irqchip = chip;
	entry->u.irqchip.pin = pin;
}

/* As KVM has it, but for the PIT: its GSI 0 is pin 2 of the I/O APIC, as in any PC. */
static void route_pit(const struct irqchip *irqchip)
{
	unsigned most = 2 * PIC_INPUTS + IOAPIC_PINS;
	struct kvm_irq_routing *routing =
		calloc(1, sizeof(*routing) + most * sizeof(struct kvm_irq_routing_entry));

	if (!routing)
		return;
	for (unsigned input = 0; input < PIC_INPUTS; input++) {
		add_route(routing, input, KVM_IRQCHIP_PIC_MASTER, input);
		add_route(routing, PIC_INPUTS + input, KVM_IRQCHIP_PIC_SLAVE, input);
	}
	add_route(routing, 0, KVM_IRQCHIP_IOAPIC, MAP_PIT_GSI);
	for (unsigned gsi = 1; gsi < IOAPIC_PINS; gsi++)
		if (gsi != MAP_PIT_GSI)
			add_route(routing, gsi, KVM_IRQCHIP_IOAPIC, gsi);
	ioctl(irqchip->vm_fd, KVM_SET_GSI_ROUTING, routing);
	free(routing);
}

static void need_pit(struct irqchip *irqchip)
{
	struct kvm_pit_config config = {0};

	if (irqchip->pit_made)
		return;
	route_pit(irqchip);
	ioctl(irqchip->vm_fd, KVM_CREATE_PIT2, &config);
	irqchip->pit_made = true;
}

/* A counter that was never programmed is undefined. */
static uint64_t pit_read(void *opaque, struct bus_access access)
{
	need_pit(opaque);
	return 0;
}

static void set_mode(struct kvm_pit_state2 *pit, uint8_t control)
{
	unsigned counter = control >> 6, access = control >> 4 & 3, mode = control >> 1 & 7;
	struct kvm_pit_channel_state *channel = &pit->channels[counter];

	if (counter == READ_BACK || access == 0)
		return; /* latches a count that is undefined */
	channel->rw_mode = channel->read_state = channel->write_state = (uint8_t)access;
	channel->mode = (uint8_t)(mode > PIT_MODE_LAST ? mode - 4 : mode);
	channel->bcd = control & 1;
}

/* A count without a mode before it goes nowhere. */
static void pit_write(void *opaque, struct bus_access access, uint64_t value)
{
	const struct irqchip *irqchip = opaque;
	struct kvm_pit_state2 pit;

	need_pit(opaque);
	if (access.offset != PIT_CONTROL || ioctl(irqchip->vm_fd, KVM_GET_PIT2, &pit))
		return;
	set_mode(&pit, (uint8_t)value);
	ioctl(irqchip->vm_fd, KVM_SET_PIT2, &pit);
}

static uint64_t gate_read(void *opaque, struct bus_access access)
{
	need_pit(opaque);
	return 0;
}

static void gate_write(void *opaque, struct bus_access access, uint64_t value)
{
	const struct irqchip *irqchip = opaque;
	struct kvm_pit_state2 pit;

	need_pit(opaque);
	if (ioctl(irqchip->vm_fd, KVM_GET_PIT2, &pit))
		return;
	pit.channels[2].gate = value & GATE_ENABLE;
	pit.flags = value & GATE_SPEAKER ? KVM_PIT_FLAGS_SPEAKER_DATA_ON : 0;
	ioctl(irqchip->vm_fd, KVM_SET_PIT2, &pit);
}

struct bus_region irqchip_pit_region(struct irqchip *irqchip)
{
	struct bus_region region = {.name = "pit",
				    .base = PIT_PORT,
				    .length = PIT_PORTS,
				    .sizes = 1,
				    .read = pit_read,
				    .write = pit_write,
				    .state = irqchip,
				    .lock = &irqchip->pit_lock};

	return region;
}

struct bus_region irqchip_gate_region(struct irqchip *irqchip)
{
	struct bus_region region = {.name = "pit-gate",
				    .base = GATE_PORT,
				    .length = 1,
				    .sizes = 1,
				    .read = gate_read,
				    .write = gate_write,
				    .state = irqchip,
				    .lock = &irqchip->pit_lock};

	return region;
}
