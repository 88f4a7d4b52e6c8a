/*
 * The end of a run: whoever sees a reason first states it, and all others only
 * stop. Set once, by any thread; read through ending_is_over().
 */
#ifndef TICKVM_ENDING_H
#define TICKVM_ENDING_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "measure/record.h"

struct error;

struct ending {
	atomic_bool over; /* true only after all fields below are set */
	int event_fd;	  /* readable once over, for poll() */

	/* Guarded by `lock` until over, constant after: */
	pthread_mutex_t lock;
	enum run_end end;
	int guest_code;
	char reason[240];
	uint64_t at_ns; /* host's monotonic clock */
};

int ending_init(struct ending *ending, struct error *e);
void ending_free(struct ending *ending);

/* False: it was over already, and the first reason stands. */
bool ending_set(struct ending *ending, enum run_end end, int guest_code, const char *format,
		va_list args);

static inline bool ending_is_over(struct ending *ending)
{
	return atomic_load_explicit(&ending->over, memory_order_acquire);
}

#endif
