/*
 * Ticket locks with interrupts off on the owner, and a recursive lock on top.
 */
#include "lock.h"

#include "cpu.h"
#include "io.h"
#include "irq.h"

bool spin_lock(struct spin_lock *lock)
{
	bool irqs_on = irq_save();
	uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
		cpu_pause();
	return irqs_on;
}

void spin_unlock(struct spin_lock *lock, bool irqs_on)
{
	/* Only the owner writes it: a load and a store will do. */
	__atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
	irq_restore(irqs_on);
}

/* Only its owner can see its own number in it, so that the look needs no lock. */
static bool is_mine(const struct recursive_lock *lock, int me)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == me;
}

static void take(struct recursive_lock *lock, int me, bool irqs_on)
{
	lock->irqs_on = irqs_on;
	lock->depth = 1;
	__atomic_store_n(&lock->owner, me, __ATOMIC_RELAXED);
}

void recursive_lock(struct recursive_lock *lock)
{
	int me = this_cpu()->index + 1;

	if (is_mine(lock, me))
		lock->depth++;
	else
		take(lock, me, spin_lock(&lock->lock));
}

bool recursive_try_lock(struct recursive_lock *lock)
{
	int me = this_cpu()->index + 1;
	bool irqs_on = irq_save();
	uint32_t serving = __atomic_load_n(&lock->lock.serving, __ATOMIC_ACQUIRE);

	if (is_mine(lock, me)) {
		lock->depth++;
		irq_restore(irqs_on);
		return true;
	}
	/* Free is next == serving: draws the ticket only if it is served at once. */
	if (!__atomic_compare_exchange_n(&lock->lock.next, &serving, serving + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		irq_restore(irqs_on);
		return false;
	}
	take(lock, me, irqs_on);
	return true;
}

void recursive_unlock(struct recursive_lock *lock)
{
	if (--lock->depth)
		return;
	__atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
	spin_unlock(&lock->lock, lock->irqs_on);
}
