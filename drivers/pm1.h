/*
 * Resetting the machine through ACPI; switching it off is pair_exit()'s business (kernel/pair.h).
 */
#ifndef TICKVM_DRIVERS_PM1_H
#define TICKVM_DRIVERS_PM1_H

/* Writes the FADT's reset register. Returns -1 if there is none, or if nothing came of it. */
int pm1_reset(void);

#endif
