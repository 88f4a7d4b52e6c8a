/*
 * Policy "timer": polls only for a timer that is about to fire (kvm list, May 2016,
 * "halt-polling: poll for the upcoming fire timers"): if the vCPU's next armed timer is
 * within the bound, until it has fired, else not at all.
 */
#include "halt.h"

static uint64_t window_ns(const struct halt *halt, uint64_t now_ns, uint64_t deadline_ns)
{
	uint64_t bound_ns = halt_limit_ns(halt);
	uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

	/* As long again as the bound for what its firing takes: it is due, not yet delivered. */
	return left_ns <= bound_ns && bound_ns ? left_ns + bound_ns : 0;
}

const struct halt_policy halt_timer = {.name = "timer", .window_ns = window_ns};
