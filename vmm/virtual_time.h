/*
 * --virtual-time: the machine's clock does not follow the host's. It stands, but for a
 * fixed quantum at each exit to userspace, so that a guest that polls gets on, and jumps
 * to the next timer of a device when all vCPUs have halted: a year of alarms takes
 * seconds, and with one vCPU each run is like the other.
 *
 * KVM's own timers (LAPIC, PIT, kvmclock) and the TSC go on by the host's clock.
 */
#ifndef TICKVM_VIRTUAL_TIME_H
#define TICKVM_VIRTUAL_TIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/record.h"

struct error;
struct machine;

#define VIRTUAL_TIME_EXIT_NS 1000

struct virtual_time {
	bool on;
	bool has_thread;
	pthread_t thread;
	struct cpu_time cpu_time; /* of the thread, when it has ended */
	pthread_mutex_t lock;	  /* held while timers run: by vCPUs and by the thread */
};

/* Before the machine runs: the clock stands at 0. */
void virtual_time_init(struct machine *machine);

/* The thread that looks for halted vCPUs, and the wait for its end. */
int virtual_time_start(struct machine *machine, struct error *e);
void virtual_time_join(struct machine *machine);

/* An exit of a vCPU was served, by its thread. */
void virtual_time_exit(struct machine *machine);

#endif
