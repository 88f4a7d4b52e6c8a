/*
 * Time-stamp counter: what an app may ask for beside the clock source "tsc".
 */
#ifndef TICKVM_DRIVERS_TSC_H
#define TICKVM_DRIVERS_TSC_H

#include <stdbool.h>
#include <stdint.h>

/* The frequency; the first call may calibrate (some 10 ms). 0: nothing to calibrate against. */
uint64_t tsc_hz(void);
uint32_t tsc_khz(void);

/* Where the frequency is from: "pair", "hypervisor", "CPUID 0x15", "pmtimer", "pit", "unknown". */
const char *tsc_source(void);

/* Same rate in all power states (CPUID 0x80000007). */
bool tsc_invariant(void);

/* Another counter and the TSC, read as good as at once. */
struct tsc_sample {
	uint64_t tsc, counter;
};
struct tsc_sample tsc_sample(uint64_t (*read_counter)(void));

#endif
