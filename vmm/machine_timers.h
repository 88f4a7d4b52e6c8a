/*
 * The timers of the machine's devices (devices/event_timer.h), on one timerfd: whoever
 * polls it calls machine_timers_run() when it is readable.
 */
#ifndef TICKVM_MACHINE_TIMERS_H
#define TICKVM_MACHINE_TIMERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "devices/event_timer.h"
#include "measure/record.h"

struct error;
struct virtual_clock;

#define MACHINE_TIMERS_MAX 8

struct machine_timers {
	const struct virtual_clock *clock;
	int fd;		  /* a timerfd on CLOCK_MONOTONIC */
	pthread_t thread; /* with has_thread: machine_timers_start_thread() */
	bool has_thread;
	struct cpu_time cpu_time; /* of the thread, when it has ended */
	int end_fd;

	/*
	 * Guards at_ns and the counts of all timers, and what the timerfd is set to. Innermost:
	 * devices arm their timers while they hold their own locks.
	 */
	pthread_mutex_t lock;
	uint64_t set_ns; /* what the timerfd is set to, virtual; EVENT_NEVER: off */
	unsigned count;
	struct machine_timer {
		struct machine_timers *all;
		const char *name;
		uint64_t at_ns;
		uint64_t wakeups;		   /* calls of event() */
		uint64_t late_sum_ns, late_max_ns; /* what these came too late */
		void (*event)(void *opaque);
		void *opaque;
		pthread_mutex_t *device_lock; /* held in event() */
	} timers[MACHINE_TIMERS_MAX];
};

int machine_timers_init(struct machine_timers *timers, const struct virtual_clock *clock,
			struct error *e);
void machine_timers_free(struct machine_timers *timers);

/*
 * A thread that serves the timers, in place of whoever polled `fd`, until `end_fd` is
 * readable; and the wait for its end. -1: it could not be started.
 */
int machine_timers_start_thread(struct machine_timers *timers, int end_fd, struct error *e);
void machine_timers_join_thread(struct machine_timers *timers);

/*
 * A timer that calls event(opaque), with `device_lock` held if it is not NULL. Before
 * the machine runs; at most MACHINE_TIMERS_MAX.
 */
struct event_timer machine_timers_add(struct machine_timers *timers, const char *name,
				      void (*event)(void *opaque), void *opaque,
				      pthread_mutex_t *device_lock);

/* When the next goes off, virtual; EVENT_NEVER: none is armed. */
uint64_t machine_timers_next_ns(struct machine_timers *timers);

/* Serves all timers whose time has come. By one thread; also after the clock stopped or resumed. */
void machine_timers_run(struct machine_timers *timers);

#endif
