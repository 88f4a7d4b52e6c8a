/*
 * newlib's locks (newlib/libc/include/sys/lock.h, retargetable): every one is
 * recursive here, as those of its streams and its heap have to be.
 */
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/lock.h>

#include "app.h"
#include "cpu.h"
#include "fault.h"
#include "lock.h"

struct __lock {
	struct recursive_lock lock;
};

struct __lock __lock___sinit_recursive_mutex;
struct __lock __lock___sfp_recursive_mutex;
struct __lock __lock___atexit_recursive_mutex;
struct __lock __lock___at_quick_exit_mutex;
struct __lock __lock___malloc_recursive_mutex;
struct __lock __lock___env_recursive_mutex;
struct __lock __lock___tz_mutex;
struct __lock __lock___dd_hash_mutex;
struct __lock __lock___arc4random_mutex;

/* The three streams' locks need no heap; streams beyond them do anyway. */
#define STREAM_LOCKS 3
static struct __lock stream_locks[STREAM_LOCKS];
static unsigned stream_locks_used;

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
	*lock = stream_locks_used < STREAM_LOCKS ? &stream_locks[stream_locks_used++]
						 : calloc(1, sizeof(**lock));
	if (!*lock)
		fault_stop("no memory for a lock");
}

void __retarget_lock_init(_LOCK_T *lock)
{
	__retarget_lock_init_recursive(lock);
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
	if (lock < stream_locks || lock >= stream_locks + STREAM_LOCKS)
		free(lock);
}

void __retarget_lock_close(_LOCK_T lock)
{
	__retarget_lock_close_recursive(lock);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
	recursive_lock(&lock->lock);
}

void __retarget_lock_acquire(_LOCK_T lock)
{
	recursive_lock(&lock->lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
	return recursive_try_lock(&lock->lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
	return recursive_try_lock(&lock->lock);
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
	recursive_unlock(&lock->lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
	recursive_unlock(&lock->lock);
}

/* ---- the heap's ---------------------------------------------------------- */

static struct recursive_lock heap_lock;

void __malloc_lock(struct _reent *reent)
{
	/* The handler may have interrupted the heap's own work: no lock helps there. */
	if (this_cpu()->irq_depth)
		fault_stop("allocation in an interrupt handler");
	recursive_lock(&heap_lock);
}

void __malloc_unlock(struct _reent *reent)
{
	if (MUTANT(malloc_lock_flat)) {
		if (heap_lock.owner != (int)this_cpu()->index + 1)
			return;
		heap_lock.depth = 1;
	}
	recursive_unlock(&heap_lock);
}
