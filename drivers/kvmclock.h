/*
 * kvmclock: what an app may ask for beside the clock source "kvmclock".
 */
#ifndef TICKVM_DRIVERS_KVMCLOCK_H
#define TICKVM_DRIVERS_KVMCLOCK_H

#include <stdbool.h>
#include <stdint.h>

bool kvmclock_present(void);

/* ns since the VM's start; 0 without the clock. The first reading on a CPU sets its page up. */
uint64_t kvmclock_ns(void);

/* The host vouches that readings on different CPUs are in order (PVCLOCK_TSC_STABLE_BIT). */
bool kvmclock_stable(void);

#endif
