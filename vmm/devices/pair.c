/* The pair's registers: see pair.h and kernel/abi.h. */
#include "pair.h"

#include "../../kernel/abi.h"

#include <string.h>

static uint64_t pair_read(void *state, struct bus_access access)
{
	struct pair *pair = state;
	struct pair_latch *latch = &pair->state.latch[access.cpu];

	switch (access.offset) {
	case TK_REG_CLOCK_LOW:
		latch->host_ns = pair->ops.host_ns(pair->ops.opaque);
		return (uint32_t)latch->host_ns;
	case TK_REG_CLOCK_HIGH:
		return latch->host_ns >> 32;
	case TK_REG_VERSION:
		return TK_ABI_VERSION;
	case TK_REG_NULL:
		return 0;
	default:
		return UINT32_MAX;
	}
}

static void pair_write(void *state, struct bus_access access, uint64_t value)
{
	const struct pair_ops *ops = &((const struct pair *)state)->ops;

	switch (access.offset) {
	case TK_REG_VERSION:
		ops->version(ops->opaque, (uint32_t)value);
		break;
	case TK_REG_EXIT:
		ops->exit(ops->opaque, (uint32_t)value);
		break;
	case TK_REG_MARK:
		ops->mark(ops->opaque, (uint32_t)value, access.cpu);
		break;
	case TK_REG_SAMPLES:
		ops->samples(ops->opaque, (uint32_t)value, access.cpu);
		break;
	case TK_REG_PHASE:
		ops->phase(ops->opaque, (uint32_t)value, access.cpu);
		break;
	}
}

static uint64_t null_read(void *state, struct bus_access access)
{
	return 0;
}

static void null_write(void *state, struct bus_access access, uint64_t value)
{
}

void pair_init(struct pair *pair, const struct pair_ops *ops)
{
	memset(&pair->state, 0, sizeof(pair->state));
	pair->ops = *ops;
}

struct bus_region pair_region(struct pair *pair, uint16_t base)
{
	return (struct bus_region){
		.name = "pair",
		.base = base,
		.length = TK_IO_LENGTH,
		.sizes = 4,
		.read = pair_read,
		.write = pair_write,
		.state = pair,
	};
}

struct bus_region pair_null_region(struct pair *pair, uint64_t mmio_base)
{
	return (struct bus_region){
		.name = "pair-null",
		.base = mmio_base,
		.length = PAIR_NULL_BYTES,
		.sizes = 1 | 2 | 4 | 8,
		.read = null_read,
		.write = null_write,
		.state = pair,
	};
}
