/*
 * Drivers, as the kernel sees them: a table, in order of need.
 *
 * The kernel includes no driver; drivers/table.c lists them, and each registers
 * what it offers (console, irq_chip, clock_source …) from its probe function.
 */
#ifndef TICKVM_DRIVER_H
#define TICKVM_DRIVER_H

struct driver {
	const char *name;
	/* Once, on the boot CPU, interrupts off; silent where the chip is not there. */
	void (*probe)(void);
};

/* drivers/table.c; ends with a null name. */
extern const struct driver driver_table[];

#endif
