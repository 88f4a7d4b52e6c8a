/*
 * Interrupt controllers: all in KVM, or (split) the LAPICs in KVM and the I/O APIC
 * here, which then turns lines into MSIs (82093AA data sheet; SDM vol. 3 § 11.11).
 */
#ifndef TICKVM_IRQCHIP_H
#define TICKVM_IRQCHIP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "devices/bus.h"
#include "devices/ioapic.h"
#include "devices/line.h"

struct error;
struct kvm_irq_routing;

struct irqchip {
	int vm_fd;
	enum irqchip_kind kind;
	struct irqchip_line {
		struct irqchip *irqchip;
		unsigned gsi;
		atomic_bool level; /* as last driven, by one device under its lock */
	} lines[IOAPIC_PINS];

	/* kernel: */
	pthread_mutex_t pit_lock; /* held by the bus in accesses to its ports */
	bool pit_made;		  /* guarded by pit_lock */

	/* split: */
	struct ioapic ioapic;		 /* has its own lock, which guards `routing` too */
	struct kvm_irq_routing *routing; /* as last told to KVM */
};

/* Creates the controllers; before any vCPU. */
int irqchip_create(struct irqchip *irqchip, int vm_fd, enum irqchip_kind kind, struct error *e);
void irqchip_free(struct irqchip *irqchip);

/* Puts on the buses what KVM does not answer itself: the I/O APIC, or the PIT's first access. */
int irqchip_add_regions(struct irqchip *irqchip, struct bus *ports, struct bus *mmio,
			struct error *e);

/*
 * Hurries KVM's clean-up after the controllers' creation, so that closing the VM does
 * not wait for it. Blocks for some milliseconds; to be called while the guest runs.
 */
void irqchip_settle(const struct irqchip *irqchip);

/* The line into interrupt input `gsi`. */
struct irq_line irqchip_line(struct irqchip *irqchip, unsigned gsi);

/* irqchip_edge.c: edges into an interrupt input, from any thread. */
struct irq_edge {
	struct irqchip *irqchip;
	unsigned gsi;
	int event_fd;	   /* an irqfd; -1: the I/O APIC is here */
	atomic_bool level; /* of irqchip_edge_line() */
};
int irqchip_edge_open(struct irqchip *irqchip, unsigned gsi, struct irq_edge *edge,
		      struct error *e);
void irqchip_edge_close(struct irq_edge *edge);
void irqchip_edge_send(const struct irq_edge *edge);

/* A line of which each rise is an edge: for an input that the guest uses as ISA's are. */
struct irq_line irqchip_edge_line(struct irq_edge *edge);

/*
 * irqchip_resample.c: a level into an interrupt input of KVM's, by irqfds. To be run
 * whenever ended_fd, -1 without it, is readable: the interrupt was ended.
 */
struct irq_resample {
	int raise_fd, ended_fd;
	atomic_bool level; /* as last driven */
};
int irq_resample_open(struct irq_resample *resample, const struct irqchip *irqchip, unsigned gsi,
		      struct error *e);
void irq_resample_close(struct irq_resample *resample);
struct irq_line irq_resample_line(struct irq_resample *resample);
void irq_resample_run(struct irq_resample *resample);

/* Split: a LAPIC was told end of interrupt for a level-triggered vector. */
void irqchip_eoi(struct irqchip *irqchip, uint8_t vector);

/* irqchip_pit.c: the ports of the PIT as long as KVM has none. */
struct bus_region irqchip_pit_region(struct irqchip *irqchip);
struct bus_region irqchip_gate_region(struct irqchip *irqchip);

#endif
