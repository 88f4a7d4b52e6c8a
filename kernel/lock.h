/*
 * Locks between CPUs. A spin lock holds interrupts off on its owner, so that a
 * handler cannot meet its own CPU's lock; a recursive one may be taken again by
 * its owner (newlib's malloc lock must nest).
 */
#ifndef TICKVM_LOCK_H
#define TICKVM_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct spin_lock {
	uint32_t next, serving; /* a ticket lock: first come, first served */
};

struct recursive_lock {
	struct spin_lock lock;
	int owner; /* cpu_index() + 1; 0: free */
	unsigned depth;
	bool irqs_on; /* before the outermost lock */
};

/* Returns whether interrupts were on, for spin_unlock(). */
bool spin_lock(struct spin_lock *lock);
void spin_unlock(struct spin_lock *lock, bool irqs_on);

void recursive_lock(struct recursive_lock *lock);
bool recursive_try_lock(struct recursive_lock *lock);
void recursive_unlock(struct recursive_lock *lock);

#endif
