/*
 * Halting: what a vCPU does from HLT until there is an interrupt for it, and by which
 * policy it polls before it blocks.
 *
 * Polling buys the wake-up its speed, as no thread has to be woken, and pays with the
 * CPU that it burns. A policy says how long to poll; the rest is the same for all.
 * Nothing here knows of KVM or of the host: time, the look for an interrupt and the
 * waiting are handed in, so that the policies run in unit tests on a fake clock.
 */
#ifndef TICKVM_HALT_HALT_H
#define TICKVM_HALT_HALT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define HALT_NO_DEADLINE UINT64_MAX

struct halt;

struct halt_policy {
	const char *name;
	/*
	 * How long to poll in a halt that begins now, in ns; 0: block at once. The next
	 * armed timer of this vCPU fires at `deadline_ns`, HALT_NO_DEADLINE: there is none.
	 */
	uint64_t (*window_ns)(const struct halt *halt, uint64_t now_ns, uint64_t deadline_ns);
	/* The halt is over and took so long; NULL: the policy learns nothing from it. */
	void (*learn)(struct halt *halt, uint64_t halted_ns);
};

/* block.c, poll.c, adaptive.c, timer.c */
extern const struct halt_policy halt_block, halt_poll, halt_adaptive, halt_timer;

/* By enum halt_kind; NULL at the end. */
enum halt_kind { HALT_BLOCK, HALT_POLL, HALT_ADAPTIVE, HALT_TIMER };
extern const struct halt_policy *const halt_policies[];

/*
 * One machine's choice. Any thread may change a field at any time: it acts at the next
 * halt of each vCPU.
 */
struct halt_tuning {
	atomic_uint kind;	     /* enum halt_kind */
	atomic_uint_fast64_t max_ns; /* poll: the window; adaptive: its most; timer: its bound */
	atomic_uint_fast64_t grow_start_ns; /* adaptive, as KVM's halt_poll_ns_grow_start */
	atomic_uint grow, shrink;	    /* adaptive, as KVM's halt_poll_ns_grow and _shrink */
};

/* KVM's own values, of Linux 6.1; `max_ns` as given. */
void halt_tuning_init(struct halt_tuning *tuning, enum halt_kind kind, uint64_t max_ns);

struct halt_counts {
	uint64_t halts;
	uint64_t polled;	   /* halts that polled at all */
	uint64_t poll_successful;  /* that ended while polling */
	uint64_t poll_interrupted; /* that stopped polling as the host had others to run */
	uint64_t poll_success_ns, poll_fail_ns;
	uint64_t blocked_ns;
};

/* What the vCPU's thread can do; called by it only. */
struct halt_ops {
	uint64_t (*now_ns)(void *opaque);
	/* Whether the halt is over: an interrupt to take, or the end of the run. */
	bool (*is_over)(void *opaque);
	/* Whether the host has another thread for this CPU. */
	bool (*is_crowded)(void *opaque);
	/* Blocks until it may be over, at the latest at `until_ns`. May return early. */
	void (*block)(void *opaque, uint64_t until_ns);
	void *opaque;
};

/* A vCPU's. Its thread's alone, but for the counts, which others may read when it has ended. */
struct halt {
	const struct halt_tuning *tuning;
	const struct halt_ops *ops;
	uint64_t window_ns;	    /* of adaptive: what it has learnt */
	uint64_t limit_at_start_ns; /* a mutant's: the limit as it was */
	struct halt_counts counts;
};

void halt_init(struct halt *halt, const struct halt_tuning *tuning, const struct halt_ops *ops);

/* The tuning's max_ns, as it is now: for the policies. */
uint64_t halt_limit_ns(const struct halt *halt);

/*
 * From HLT until is_over(). The deadline is that of the vCPU's next armed timer: at it
 * something has to be looked at, whoever else wakes the vCPU.
 */
void halt_wait(struct halt *halt, uint64_t deadline_ns);

#endif
