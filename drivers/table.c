/*
 * The drivers, in order of need: a console to complain on, then what the ACPI
 * tables say is there, interrupts, and the timers and clocks.
 *
 * The kernel probes each once on its way to main(), which has 10,000 guest
 * instructions in all. So a probe finds and registers its chip, and leaves what
 * takes time (calibration, the DSDT, kvmclock's MSR) to the first who asks.
 */
#include "drivers/table.h"

#include <stddef.h>

#include "kernel/driver.h"

const struct driver driver_table[] = {
	{"uart", uart_probe},	      {"acpi", acpi_probe},   {"pm1", pm1_probe},
	{"pic", pic_probe},	      {"lapic", lapic_probe}, {"ioapic", ioapic_probe},
	{"pmtimer", pmtimer_probe},   {"pit", pit_probe},     {"tsc", tsc_probe},
	{"kvmclock", kvmclock_probe}, {"rtc", rtc_probe},     {NULL, NULL},
};
