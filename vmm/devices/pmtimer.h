/*
 * ACPI power management timer: ACPI 6.5, 4.8.2.1 and 4.8.3.3.
 *
 * A free-running counter of 3.579545 MHz, 24 or 32 bits wide. Here it is a function
 * of virtual time, exact at any distance: reading it often or seldom changes nothing.
 */
#ifndef TICKVM_DEVICES_PMTIMER_H
#define TICKVM_DEVICES_PMTIMER_H

#include "bus.h"
#include "clock.h"

#define PMTIMER_HZ    3579545
#define PMTIMER_PORTS 4

struct pmtimer_state {
	uint32_t start_ticks; /* counter at virtual time 0 */
	uint32_t mask;	      /* of the counter's width */
};

/* No lock: nothing is written after pmtimer_init(), and the clock may be read by any thread. */
struct pmtimer {
	struct pmtimer_state state;
	const struct vclock *clock;
};

/* width_bits: 24 or 32. */
void pmtimer_init(struct pmtimer *timer, const struct vclock *clock, unsigned width_bits,
		  uint32_t start_ticks);

struct bus_region pmtimer_region(struct pmtimer *timer, uint16_t base);

#endif
