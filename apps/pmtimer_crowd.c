/*
 * pmtimer, test crowd (BC-03, and whether a lock is worth it): CPU 0 reads alone, then all
 * CPUs read at once, flat out. What they hold up one another shows in the phases' times:
 *
 *   pmtimer.alone   n reads of CPU 0
 *   pmtimer.crowd   n reads of each CPU
 *
 * And on no CPU does the counter step back meanwhile.
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>

#include "cpus.h"
#include "drivers/pmtimer.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "kernel/smp.h"

static uint64_t reads;
static unsigned arrived; /* CPUs at the start: none begins before the last */
static uint64_t steps_back[CPUS_MAX];

static void read_flat_out(void)
{
	uint32_t last = pmtimer_ticks(), half = pmtimer_mask() / 2;
	uint64_t back = 0;

	for (uint64_t i = 1; i < reads; i++) {
		uint32_t now = pmtimer_ticks();

		back += ((now - last) & pmtimer_mask()) > half;
		last = now;
	}
	steps_back[cpu_index()] += back;
}

static void read_together(void *argument)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < smp_online())
		cpu_pause();
	read_flat_out();
}

void pmtimer_crowd(const struct pmtimer_keys *keys)
{
	const char *name = "crowd: the counter steps back on no CPU";
	uint64_t back = 0;

	reads = keys->n;
	arrived = 0;
	pair_phase_begin("pmtimer.alone");
	read_flat_out();
	pair_phase_end("pmtimer.alone", reads);
	pair_phase_begin("pmtimer.crowd");
	cpus_at_once(read_together, NULL);
	pair_phase_end("pmtimer.crowd", reads * smp_online());
	for (unsigned i = 0; i < smp_online(); i++)
		back += steps_back[i];
	ktap_note("crowd: %u CPUs, %" PRIu64 " reads each: steps back: measured %" PRIu64
		  ", bound 0",
		  smp_online(), reads, back);
	ktap_result(back == 0, "%s", name);
}
