/*
 * ACPI PM timer: what an app may ask for beside the clock source "pmtimer".
 */
#ifndef TICKVM_DRIVERS_PMTIMER_H
#define TICKVM_DRIVERS_PMTIMER_H

#include <stdbool.h>
#include <stdint.h>

#define PMTIMER_HZ 3579545

bool pmtimer_present(void);
unsigned pmtimer_width(void); /* 24 or 32 bits; 0: no timer */
uint16_t pmtimer_port(void);  /* of its 32-bit register; 0: no timer */

/* The counter, one port read; 0 without a timer. */
uint32_t pmtimer_ticks(void);

#endif
