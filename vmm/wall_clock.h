/*
 * The host's wall clock, as far as a guest's RTC that follows it has to know: when it is
 * set. Between two settings CLOCK_REALTIME runs as CLOCK_MONOTONIC does, slewing included,
 * so that following it costs nothing.
 */
#ifndef TICKVM_WALL_CLOCK_H
#define TICKVM_WALL_CLOCK_H

#include <stdint.h>

struct error;

struct wall_clock {
	int fd;		   /* readable when the wall clock was set; -1: not watched */
	int64_t offset_ns; /* of CLOCK_REALTIME to CLOCK_MONOTONIC, at the last look */
};

int wall_clock_watch(struct wall_clock *wall, struct error *e);
void wall_clock_close(struct wall_clock *wall);

/* When `fd` is readable: by how much it was set since the last look, ns. Watches on. */
int64_t wall_clock_step(struct wall_clock *wall);

#endif
