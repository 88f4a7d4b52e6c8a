/*
 * The MADT, read into the tables of CPUs and interrupts.
 */
#ifndef TICKVM_DRIVERS_MADT_H
#define TICKVM_DRIVERS_MADT_H

#include "drivers/acpi.h"

/* Adds every enabled CPU to the kernel's list, and the interrupt controllers to `info`. */
void madt_read(struct acpi_info *info);

#endif
