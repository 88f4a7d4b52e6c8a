/*
 * The probe functions of drivers/table.c, one a chip.
 */
#ifndef TICKVM_DRIVERS_TABLE_H
#define TICKVM_DRIVERS_TABLE_H

void uart_probe(void);
void acpi_probe(void);
void pm1_probe(void);
void pic_probe(void);
void lapic_probe(void);
void ioapic_probe(void);
void pmtimer_probe(void);
void pit_probe(void);
void tsc_probe(void);
void kvmclock_probe(void);
void rtc_probe(void);

#endif
