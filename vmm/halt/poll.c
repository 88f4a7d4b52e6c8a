/* Policy "poll": polls for the same time in each halt, whatever came of the last one. */
#include "halt.h"

static uint64_t window_ns(const struct halt *halt, uint64_t now_ns, uint64_t deadline_ns)
{
	return halt_limit_ns(halt);
}

const struct halt_policy halt_poll = {.name = "poll", .window_ns = window_ns};
