/*
 * smoke: every CPU that the MADT lists starts, runs what it is given, and agrees
 * with the others on memory and on the TSC.
 */
#include "smoke.h"

#include <stddef.h>

#include "cpus.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/smp.h"

#define ADDS   100
#define ROUNDS 16 /* of a hand-off between two CPUs */

static enum verdict all_start(void)
{
	EXPECT(smp_online() == smp_listed(), "CPUs that run: measured %u, bound %u", smp_online(),
	       smp_listed());
	return PASS;
}

static uint32_t apic_ids[CPUS_MAX];
static unsigned runs[CPUS_MAX];
static uint64_t sum;

static void count(void *argument)
{
	runs[cpu_index()]++;
	apic_ids[cpu_index()] = irq_chip()->apic_id();
	for (unsigned i = 0; i < ADDS; i++)
		__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
}

static enum verdict all_run(void)
{
	uint64_t bound = (uint64_t)smp_online() * ADDS;

	cpus_at_once(count, NULL);
	for (unsigned cpu = 0; cpu < smp_online(); cpu++)
		EXPECT(runs[cpu] == 1, "CPU %u: measured %u runs, bound 1", cpu, runs[cpu]);
	EXPECT(sum == bound, "sum of atomic additions: measured %lu, bound %lu", sum, bound);
	return PASS;
}

static enum verdict distinct_ids(void)
{
	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		EXPECT(apic_ids[cpu] == cpu_apic_id(cpu), "CPU %u: APIC ID %u, the MADT says %u",
		       cpu, apic_ids[cpu], cpu_apic_id(cpu));
		for (unsigned other = 0; other < cpu; other++)
			EXPECT(apic_ids[cpu] != apic_ids[other], "CPUs %u and %u: APIC ID %u", cpu,
			       other, apic_ids[cpu]);
	}
	return PASS;
}

/*
 * Two CPUs read the TSC in turns, each after it has seen the other's turn, so that
 * a later reading must not be less.
 */
static unsigned turn;
static uint64_t last_tsc, tsc_steps_back;

static void read_in_turns(unsigned mine)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t tsc;

		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % 2 != mine)
			cpu_pause();
		tsc = rdtsc_ordered();
		tsc_steps_back += tsc < last_tsc;
		last_tsc = tsc;
		__atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
	}
}

static void read_second(void *argument)
{
	read_in_turns(1);
}

static enum verdict tsc_hand_off(void)
{
	if (smp_online() < 2)
		return skipped("one CPU");
	EXPECT(cpu_call(1, read_second, NULL) == 0, "CPU 1 takes no call");
	read_in_turns(0);
	cpu_wait(1);
	EXPECT(tsc_steps_back == 0, "TSC backwards: measured %lu of %u, bound 0", tsc_steps_back,
	       2 * ROUNDS);
	return PASS;
}

const struct smoke_check smoke_smp_checks[] = {
	{"all listed CPUs start", all_start},
	{"all CPUs run at once, and their sum is exact", all_run},
	{"APIC IDs are the MADT's and distinct", distinct_ids},
	{"TSC is not behind on the next CPU", tsc_hand_off},
	{NULL, NULL},
};
