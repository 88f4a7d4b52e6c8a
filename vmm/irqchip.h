/*
 * Interrupt controllers: all in KVM, or (split) the LAPICs in KVM and the I/O APIC
 * here, which then turns lines into MSIs (82093AA data sheet; SDM vol. 3 § 11.11).
 */
#ifndef TICKVM_IRQCHIP_H
#define TICKVM_IRQCHIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "devices/ioapic.h"
#include "devices/line.h"

struct bus;
struct error;
struct kvm_irq_routing;

struct irqchip {
	int vm_fd;
	enum irqchip_kind kind;
	struct irqchip_line {
		struct irqchip *irqchip;
		unsigned gsi;
		atomic_bool
			level; /* as last driven; a line has one driver, under its device's lock */
	} lines[IOAPIC_PINS];

	struct ioapic ioapic; /* split only; has its own lock, which guards `routing` too */
	struct kvm_irq_routing *routing; /* as last told to KVM */
};

/* Creates the controllers; before any vCPU. */
int irqchip_create(struct irqchip *irqchip, int vm_fd, enum irqchip_kind kind, struct error *e);
void irqchip_free(struct irqchip *irqchip);

/* Split: puts the I/O APIC on the bus. Kernel: KVM answers there itself. */
int irqchip_add_regions(struct irqchip *irqchip, struct bus *mmio, struct error *e);

/* The line into interrupt input `gsi`. */
struct irq_line irqchip_line(struct irqchip *irqchip, unsigned gsi);

/* Split: a LAPIC was told end of interrupt for a level-triggered vector. */
void irqchip_eoi(struct irqchip *irqchip, uint8_t vector);

#endif
