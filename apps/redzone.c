/*
 * redzone: a leaf function's locals under timer interrupts (BC-25).
 *
 * The System V ABI lets a leaf function keep locals in the 128 bytes below RSP
 * (AMD64 ABI § 3.2.2); in ring 0 an interrupt puts its frame right there. All of the
 * image is built without a red zone, except this file in build/tickvm-mutants.elf.
 */
#include "apps.h"

#include <stddef.h>

#include "check.h"
#include "drivers/lapic.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"

#define VECTOR IRQ_VECTOR_APP
#define LOCALS 16
#define ROUNDS 16 /* some 1000 instructions a call: an interrupt rarely comes between two calls */

const struct app_key redzone_keys[] = {
	{"n", "interrupts to take, 1 to 10000000 (1000)"},
	{"period_us", "period of the timer in us, 20 to 1000000 (50)"},
	{NULL, NULL},
};

/* Calls nothing and keeps 64 bytes of locals in memory: what a red zone is used for. */
__attribute__((noipa)) static uint32_t leaf_with_locals(uint32_t seed)
{
	volatile uint32_t local[LOCALS];
	uint32_t sum = 0;

	for (unsigned i = 0; i < LOCALS; i++)
		local[i] = seed + i;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < LOCALS; i++)
			local[i] = local[i] + 1;
	}
	for (unsigned i = 0; i < LOCALS; i++)
		sum += local[i];
	return sum;
}

static uint32_t known_value(uint32_t seed)
{
	return LOCALS * (seed + ROUNDS) + LOCALS * (LOCALS - 1) / 2;
}

static void come(void *argument)
{
}

int redzone_main(void)
{
	uint64_t wanted = app_number("n", 1000, 1, 10000000);
	uint64_t period_us = app_number("period_us", 50, 20, 1000000);
	uint64_t ticks = lapic_timer_khz() * period_us / 1000;
	uint32_t calls = 0, wrong = 0;

	if (!ticks)
		app_exit(TK_EXIT_SKIPPED, "redzone: no local APIC timer");
	ktap_begin(2);
	irq_attach(VECTOR, come, NULL);
	lapic_timer_periodic((uint32_t)ticks, 0, VECTOR);
	irq_enable();
	while (irq_count(VECTOR) < wanted) {
		wrong += leaf_with_locals(calls) != known_value(calls);
		calls++;
	}
	irq_disable();
	lapic_timer_stop();
	ktap_note("%u calls of a leaf function with %u locals", calls, LOCALS);
	check_at_least("interrupts taken", irq_count(VECTOR), wanted);
	check_equal("calls that lost locals", wrong, 0);
	return ktap_end();
}
