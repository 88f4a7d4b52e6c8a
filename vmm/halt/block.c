/* Policy "block": never polls. What an idle host wants, and the base of comparison. */
#include "halt.h"

static uint64_t window_ns(const struct halt *halt, uint64_t now_ns, uint64_t deadline_ns)
{
	return 0;
}

const struct halt_policy halt_block = {.name = "block", .window_ns = window_ns};
