/*
 * ACPI power management timer: ACPI 6.5, 4.8.2.1 and 4.8.3.3.
 *
 * A free-running counter of 3.579545 MHz, 24 or 32 bits wide. Here it is a function
 * of virtual time, exact at any distance: reading it often or seldom changes nothing.
 *
 *   counter = floor((virtual ns + start_ns) * 3579545 / 10^9) modulo 2^width
 *
 * The start is kept as time, not as ticks, so that KVM's timer and the page of the
 * exit-less one, which both add it to their clocks, show the same counter at any moment.
 */
#ifndef TICKVM_DEVICES_PMTIMER_H
#define TICKVM_DEVICES_PMTIMER_H

#include "bus.h"
#include "clock.h"

#define PMTIMER_HZ    3579545
#define PMTIMER_PORTS 4

struct pmtimer_state {
	uint64_t start_ns;  /* what the counter has counted at virtual time 0 */
	uint8_t width_bits; /* 24 or 32 */
};

/*
 * No lock is needed: nothing is written after pmtimer_init(), and the clock may be
 * read by any thread. One may be given all the same (--lock), to be measured.
 */
struct pmtimer {
	struct pmtimer_state state;
	const struct vclock *clock;
};

/* width_bits: 24 or 32. start_ticks: the counter at virtual time 0. */
void pmtimer_init(struct pmtimer *timer, const struct vclock *clock, unsigned width_bits,
		  uint32_t start_ticks);

struct bus_region pmtimer_region(struct pmtimer *timer, uint16_t base, pthread_mutex_t *lock);

/*
 * Half periods, at whose ends the counter's top bit changes, since it counted from 0:
 * which one it is in now, and the first ns of virtual time that is in a given one.
 * UINT64_MAX: beyond all time.
 */
uint64_t pmtimer_half(const struct pmtimer *timer);
uint64_t pmtimer_half_begin_ns(const struct pmtimer *timer, uint64_t half);

#endif
