/* The halt itself, under any policy: see halt.h. */
#include "halt.h"

#include "../mutant.h"

#include <string.h>

/* Of Linux 6.1: halt_poll_ns_grow_start, halt_poll_ns_grow, halt_poll_ns_shrink. */
#define KVM_GROW_START_NS 10000
#define KVM_GROW	  2
#define KVM_SHRINK	  0

const struct halt_policy *const halt_policies[] = {
	[HALT_BLOCK] = &halt_block,
	[HALT_POLL] = &halt_poll,
	[HALT_ADAPTIVE] = &halt_adaptive,
	[HALT_TIMER] = &halt_timer,
	NULL,
};

void halt_tuning_init(struct halt_tuning *tuning, enum halt_kind kind, uint64_t max_ns)
{
	atomic_init(&tuning->kind, kind);
	atomic_init(&tuning->max_ns, max_ns);
	atomic_init(&tuning->grow_start_ns, KVM_GROW_START_NS);
	atomic_init(&tuning->grow, KVM_GROW);
	atomic_init(&tuning->shrink, KVM_SHRINK);
}

void halt_init(struct halt *halt, const struct halt_tuning *tuning, const struct halt_ops *ops)
{
	memset(halt, 0, sizeof(*halt));
	halt->tuning = tuning;
	halt->ops = ops;
	halt->limit_at_start_ns = atomic_load(&tuning->max_ns);
}

uint64_t halt_limit_ns(const struct halt *halt)
{
	if (MUTANT(halt_limit_cached))
		return halt->limit_at_start_ns;
	return atomic_load_explicit(&halt->tuning->max_ns, memory_order_relaxed);
}

/* Whether it is over before the window is. */
static bool poll(struct halt *halt, uint64_t start_ns, uint64_t window_ns)
{
	const struct halt_ops *ops = halt->ops;
	struct halt_counts *counts = &halt->counts;
	uint64_t now_ns = start_ns;
	bool over, crowded = false;

	do {
		over = ops->is_over(ops->opaque);
		crowded = !over && ops->is_crowded(ops->opaque);
		now_ns = ops->now_ns(ops->opaque);
	} while (!over && !crowded && now_ns - start_ns < window_ns);
	counts->polled++;
	counts->poll_successful += over;
	counts->poll_interrupted += crowded;
	*(over ? &counts->poll_success_ns : &counts->poll_fail_ns) += now_ns - start_ns;
	return over;
}

static void block(struct halt *halt, uint64_t deadline_ns)
{
	const struct halt_ops *ops = halt->ops;
	uint64_t start_ns = ops->now_ns(ops->opaque);

	while (!ops->is_over(ops->opaque))
		ops->block(ops->opaque, deadline_ns);
	halt->counts.blocked_ns += ops->now_ns(ops->opaque) - start_ns;
}

void halt_wait(struct halt *halt, uint64_t deadline_ns)
{
	const struct halt_policy *policy =
		halt_policies[atomic_load_explicit(&halt->tuning->kind, memory_order_relaxed)];
	const struct halt_ops *ops = halt->ops;
	uint64_t start_ns = ops->now_ns(ops->opaque);
	uint64_t window_ns = policy->window_ns(halt, start_ns, deadline_ns);

	halt->counts.halts++;
	if (MUTANT(halt_returns))
		return;
	if (!window_ns || !poll(halt, start_ns, window_ns))
		block(halt, deadline_ns);
	if (policy->learn)
		policy->learn(halt, ops->now_ns(ops->opaque) - start_ns);
}
