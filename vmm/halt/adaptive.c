/*
 * Policy "adaptive": KVM's own rules of a window that grows while polling would have
 * helped, and shrinks when a halt was long (Linux 6.1, virt/kvm/kvm_main.c; its
 * parameters: Documentation/virt/kvm/halt-polling.rst).
 *
 * The maximum caps what is polled, not what was compared before the growth: a window
 * of 10 µs that doubles under a maximum of 11 µs is 11 µs then, never 20 (BC-16).
 */
#include "../mutant.h"
#include "halt.h"

static uint64_t least(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* The maximum may have been lowered since the window was learnt. */
static uint64_t window_ns(const struct halt *halt, uint64_t now_ns, uint64_t deadline_ns)
{
	return MUTANT(halt_cap_before_growth) ? halt->window_ns
					      : least(halt->window_ns, halt_limit_ns(halt));
}

static uint64_t grown(const struct halt *halt)
{
	uint64_t start_ns = atomic_load_explicit(&halt->tuning->grow_start_ns,
						 memory_order_relaxed);
	unsigned grow = atomic_load_explicit(&halt->tuning->grow, memory_order_relaxed);
	uint64_t window_ns;

	if (!grow)
		return halt->window_ns;
	window_ns = halt->window_ns * grow;
	if (window_ns < start_ns)
		window_ns = start_ns;
	return MUTANT(halt_cap_before_growth) ? window_ns : least(window_ns, halt_limit_ns(halt));
}

static uint64_t shrunk(const struct halt *halt)
{
	uint64_t start_ns = atomic_load_explicit(&halt->tuning->grow_start_ns,
						 memory_order_relaxed);
	unsigned shrink = atomic_load_explicit(&halt->tuning->shrink, memory_order_relaxed);
	uint64_t window_ns = shrink ? halt->window_ns / shrink : 0;

	return window_ns < start_ns ? 0 : window_ns;
}

static void learn(struct halt *halt, uint64_t halted_ns)
{
	uint64_t limit_ns = halt_limit_ns(halt);

	if (!MUTANT(halt_cap_before_growth))
		halt->window_ns = least(halt->window_ns, limit_ns);
	if (!limit_ns)
		halt->window_ns = 0;
	else if (halted_ns <= halt->window_ns)
		return; /* it was long enough */
	else if (halt->window_ns && halted_ns > limit_ns)
		halt->window_ns = shrunk(halt);
	else if (halt->window_ns < limit_ns && halted_ns < limit_ns)
		halt->window_ns = grown(halt);
}

const struct halt_policy halt_adaptive = {
	.name = "adaptive", .window_ns = window_ns, .learn = learn};
