/*
 * I/O APIC: the way of a device's interrupt (a GSI) to a vector of a CPU.
 *
 * All calls return -1 where the machine has no I/O APIC or it has no such GSI.
 */
#ifndef TICKVM_DRIVERS_IOAPIC_H
#define TICKVM_DRIVERS_IOAPIC_H

#include <stdint.h>

/*
 * Sets vector and CPU of a GSI, with the trigger mode and polarity that ACPI
 * gives it. It is masked then. ISA interrupts: ioapic_route(acpi_isa_gsi(irq), …).
 */
int ioapic_route(unsigned gsi, uint8_t vector, uint32_t apic_id);

/* Lets another CPU take it, from its next interrupt on; in one write, so at any moment. */
int ioapic_move(unsigned gsi, uint32_t apic_id);

int ioapic_mask(unsigned gsi);
int ioapic_unmask(unsigned gsi);

#endif
