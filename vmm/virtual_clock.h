/*
 * The machine's virtual time: 0 at power-on, then as the host's CLOCK_MONOTONIC, but
 * for the time during which it was stopped.
 *
 * It never steps back, for any two readings of which one happened before the other, on
 * whatever threads: readers check a sequence and take no lock.
 */
#ifndef TICKVM_VIRTUAL_CLOCK_H
#define TICKVM_VIRTUAL_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "devices/clock.h"

struct virtual_clock {
	struct vclock vclock; /* for devices */
	atomic_uint sequence; /* odd while the rest is being changed, by one thread at a time */
	atomic_uint_fast64_t origin_ns;	 /* the host's clock at virtual time 0 */
	atomic_uint_fast64_t stopped_ns; /* where it stands; VIRTUAL_CLOCK_RUNS: nowhere */
};

#define VIRTUAL_CLOCK_RUNS UINT64_MAX

/* Power-on: it runs from 0. */
void virtual_clock_start(struct virtual_clock *clock);

/* Pause and resume: it stands, and goes on from where it stood. */
void virtual_clock_stop(struct virtual_clock *clock);
void virtual_clock_resume(struct virtual_clock *clock);

/* Of a clock that was just started: it stands at 0. */
void virtual_clock_stand(struct virtual_clock *clock);

/* Of a clock that stands: moves it on, or by so much; never back. Returns where it is then. */
uint64_t virtual_clock_move_to(struct virtual_clock *clock, uint64_t ns);
uint64_t virtual_clock_move_by(struct virtual_clock *clock, uint64_t ns);

uint64_t virtual_clock_ns(const struct virtual_clock *clock);

/* When the host's clock will be there; UINT64_MAX: never, as it stands or 64 bits end. */
uint64_t virtual_clock_host_ns(const struct virtual_clock *clock, uint64_t at_ns);

#endif
