/*
 * The host's clocks, in nanoseconds. All times of a run are taken from here.
 */
#ifndef TICKVM_HOST_CLOCK_H
#define TICKVM_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

static inline uint64_t host_clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline uint64_t host_monotonic_ns(void)
{
	return host_clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec host_timespec(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

	return t;
}

#endif
