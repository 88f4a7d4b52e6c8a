/*
 * Two ways in which a guest may never end: it runs past --timeout, or all its CPUs
 * have halted with interrupts off, which KVM does not report when it has the LAPIC.
 *
 * The second is looked for seldom, and only when no vCPU thread has used CPU time
 * since the last look: a guest that works is never disturbed.
 */
#ifndef TICKVM_WATCHDOG_H
#define TICKVM_WATCHDOG_H

#include <stdint.h>

struct machine;

struct watchdog {
	struct machine *machine;
	uint64_t deadline_ns; /* of --timeout, host's monotonic clock; UINT64_MAX: none */
	uint64_t look_ns;     /* when to look for halted CPUs next */
	uint64_t interval_ns;
	uint64_t cpu_ns; /* of all vCPU threads, at the last look */
};

void watchdog_init(struct watchdog *watchdog, struct machine *machine);

/* When watchdog_tick() has something to do, host's monotonic clock. */
uint64_t watchdog_next_ns(const struct watchdog *watchdog);

/* Ends the run if it is time. */
void watchdog_tick(struct watchdog *watchdog);

#endif
