/*
 * I/O APIC: Intel 82093AA, 24 pins. It turns lines into interrupt messages
 * (SDM vol. 3, "Message Signalled Interrupts") for local APICs that are elsewhere.
 *
 * Lines carry "asserted", as in KVM: the polarity bit is kept for the guest and
 * changes nothing, since a device here knows no voltage.
 */
#ifndef TICKVM_DEVICES_IOAPIC_H
#define TICKVM_DEVICES_IOAPIC_H

#include "bus.h"

#define IOAPIC_PINS  24
#define IOAPIC_BYTES 0x20

/*
 * Called with the I/O APIC's own lock held, so that messages and routes keep their
 * order: they must not call ioapic_set_line(), ioapic_eoi() or the bus, nor wait for
 * a lock that a caller of those may hold. ioapic_message() takes no lock and is
 * meant to be called from routes_changed.
 */
struct ioapic_ops {
	void (*deliver)(void *opaque, uint64_t msi_address, uint32_t msi_data);
	void (*routes_changed)(void *opaque); /* before any message of the new route */
	void *opaque;
};

struct ioapic_state {
	uint8_t select; /* IOREGSEL */
	uint8_t id;
	uint32_t lines; /* asserted, a bit a pin */
	uint64_t redirection[IOAPIC_PINS];
};

/*
 * Guarded by its own lock, the innermost of all: devices drive pins while they hold
 * theirs. Register accesses take it too, inside the region's lock if there is one.
 */
struct ioapic {
	struct ioapic_state state;
	uint16_t served[IOAPIC_PINS]; /* of a mutant: destination + 1 of the last edge */
	struct ioapic_ops ops;
	pthread_mutex_t lock;
};

void ioapic_init(struct ioapic *ioapic, const struct ioapic_ops *ops);

/* `lock`: one more that the bus is to take; NULL is enough. */
struct bus_region ioapic_region(struct ioapic *ioapic, uint64_t base, pthread_mutex_t *lock);

/* Drives a pin, below IOAPIC_PINS; idempotent. Any thread. */
void ioapic_set_line(struct ioapic *ioapic, unsigned pin, bool level);

/* A local APIC ended the level-triggered interrupt of this vector. Any thread. */
void ioapic_eoi(struct ioapic *ioapic, uint8_t vector);

/* The message that a pin sends, below IOAPIC_PINS. From routes_changed, or before the guest runs.
 */
void ioapic_message(const struct ioapic *ioapic, unsigned pin, uint64_t *msi_address,
		    uint32_t *msi_data, bool *masked);

#endif
