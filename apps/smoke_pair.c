/*
 * smoke: the pair contract (kernel/abi.h), seen from the guest. All but the samples,
 * which go out over the UART then, are skips without it.
 */
#include "smoke.h"

#include <stddef.h>

#include "drivers/tsc.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define WINDOW_NS 5000000
#define NS_PER_S  1000000000
#define NO_PAIR	  "no pair contract on this machine"

static enum verdict version(void)
{
	uint32_t seen;

	if (!pair_present())
		return skipped(NO_PAIR);
	seen = in32(pair_table()->io_base + TK_REG_VERSION);
	EXPECT(pair_table()->abi_version == TK_ABI_VERSION && seen == TK_ABI_VERSION,
	       "table says %u, register %u, bound %u", pair_table()->abi_version, seen,
	       TK_ABI_VERSION);
	return PASS;
}

static enum verdict null_registers(void)
{
	uint32_t port, page;

	if (!pair_present())
		return skipped(NO_PAIR);
	port = in32(pair_table()->io_base + TK_REG_NULL);
	page = mmio_read32(pair_table()->mmio_null_base);
	EXPECT(port == 0 && page == 0, "port reads %#x, page reads %#x, bound 0", port, page);
	return PASS;
}

/* Registers are 32 bits wide; any other access finds nothing. */
static enum verdict wrong_size(void)
{
	uint8_t seen;

	if (!pair_present())
		return skipped(NO_PAIR);
	seen = in8(pair_table()->io_base + TK_REG_NULL);
	EXPECT(seen == 0xff, "a byte of a register reads %#x, bound 0xff", seen);
	return PASS;
}

static enum verdict host_clock(void)
{
	struct bracket from, to;

	if (!pair_present())
		return skipped(NO_PAIR);
	if (!tsc_hz())
		return skipped("nothing tells the TSC's frequency");
	from = bracket(pair_host_ns, rdtsc_ordered);
	clock_sleep_until(clock_now_ns() + WINDOW_NS);
	to = bracket(pair_host_ns, rdtsc_ordered);
	EXPECT(from.before <= from.after && from.after <= to.before && to.before <= to.after,
	       "read %lu, %lu, %lu, %lu ns: a step back", from.before, from.after, to.before,
	       to.after);
	if (pair_table()->flags & TK_FLAG_VIRTUAL_TIME)
		return PASS; /* the TSC's is not virtual */
	EXPECT(brackets_agree(&from, &to, NS_PER_S, to.value - from.value, tsc_hz()),
	       "measured %lu TSC ticks of %lu Hz in %lu to %lu ns, bound 1 %%",
	       to.value - from.value, tsc_hz(), to.before - from.after, to.after - from.before);
	return PASS;
}

/* What arrived is the host's to judge: smoke.squares is 1 4 9 16, whichever way it went. */
static enum verdict samples(void)
{
	static const uint32_t squares[] = {1, 4, 9, 16};

	pair_samples("smoke.squares", "count", squares, 4, sizeof(*squares));
	return PASS;
}

const struct smoke_check smoke_pair_checks[] = {
	{"pair: ABI version", version},
	{"pair: null port and null page read 0", null_registers},
	{"pair: a register's byte reads all ones", wrong_size},
	{"pair: host clock never steps back, TSC agrees", host_clock},
	{"pair: samples are taken", samples},
	{NULL, NULL},
};
