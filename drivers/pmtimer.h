/*
 * ACPI PM timer: what an app may ask for beside the clock source "pmtimer".
 *
 * The counter is read from the pair's page where there is one, without an exit, else
 * from its port. Any CPU, any ring.
 */
#ifndef TICKVM_DRIVERS_PMTIMER_H
#define TICKVM_DRIVERS_PMTIMER_H

#include <stdbool.h>
#include <stdint.h>

#define PMTIMER_HZ 3579545

bool pmtimer_present(void);
unsigned pmtimer_width(void); /* 24 or 32 bits; 0: no timer */
uint32_t pmtimer_mask(void);  /* of the counter's width; 0: no timer */
uint16_t pmtimer_port(void);  /* of its 32-bit register; 0: no timer */

/* How the counter is read just now: "page", "port", or "none" without a timer. */
const char *pmtimer_method(void);

/* The counter; 0 without a timer. */
uint32_t pmtimer_ticks(void);

/* The same by one port read, whatever the method; 0 without a timer. */
uint32_t pmtimer_port_ticks(void);

#endif
