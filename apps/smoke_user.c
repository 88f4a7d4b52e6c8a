/*
 * smoke: ring 3 runs a function, reaches a port and the kernel from there, is
 * interrupted, and its faults are caught.
 */
#include "smoke.h"

#include <stddef.h>

#include "drivers/lapic.h"
#include "drivers/pmtimer.h"
#include "drivers/tsc.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/trap.h"
#include "kernel/user.h"

#define VECTOR	   (IRQ_VECTOR_APP + 3)
#define DELAY_US   500
#define GIVE_UP_S  2
#define CALLS	   4
#define POST_PORT  0x80 /* harmless on every PC */
#define RING_3	   3
#define KHZ_PER_MS 1000

static uint64_t ring_of_cs(void)
{
	uint64_t cs;

	__asm__ volatile("movq %%cs, %0" : "=r"(cs));
	return cs & 3;
}

static uint64_t own_ring(void *argument)
{
	return ring_of_cs();
}

static uint64_t read_port(void *argument)
{
	return pmtimer_present() ? pmtimer_ticks() : in8(POST_PORT);
}

static enum verdict port(void)
{
	uint64_t ring = user_call(own_ring, NULL), first, second;

	EXPECT(ring == RING_3, "user_call() runs in ring %lu, bound %u", ring, RING_3);
	first = user_call(read_port, NULL);
	second = user_call(read_port, NULL);
	EXPECT(!pmtimer_present() || first != second, "PM timer read twice as %#lx", first);
	return PASS;
}

static uint64_t add_kernel_ring(uint64_t argument)
{
	return argument + ring_of_cs();
}

/* Sum of the calls' arguments, if each ran in ring 0 and its value came back. */
static uint64_t call_kernel(void *argument)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i <= CALLS; i++)
		sum += user_syscall(USER_APP, i);
	return sum;
}

static enum verdict system_call(void)
{
	uint64_t sum, bound = CALLS * (CALLS + 1) / 2;

	user_attach(USER_APP, add_kernel_ring);
	sum = user_call(call_kernel, NULL);
	user_attach(USER_APP, NULL);
	EXPECT(sum == bound, "by %s: measured %lu, bound %lu", user_gate_name(), sum, bound);
	sum = user_call(call_kernel, NULL);
	EXPECT(sum == -(uint64_t)CALLS, "a call without a handler: measured %#lx, bound -1", sum);
	return PASS;
}

static unsigned taken;

static void take(void *argument)
{
	__atomic_fetch_add(&taken, 1, __ATOMIC_RELEASE);
}

/* Until the interrupt has come, or too long: true if it came. */
static uint64_t wait_taken(void *argument)
{
	uint64_t start = rdtsc(), limit = GIVE_UP_S * tsc_hz();

	while (!__atomic_load_n(&taken, __ATOMIC_ACQUIRE) && rdtsc() - start < limit)
		cpu_pause();
	return taken;
}

static enum verdict interrupt(void)
{
	uint64_t came;

	if (!tsc_hz())
		return skipped("nothing tells the TSC's frequency");
	taken = 0;
	irq_attach(VECTOR, take, NULL);
	lapic_timer_one_shot((uint32_t)((uint64_t)lapic_timer_khz() * DELAY_US / KHZ_PER_MS), 0,
			     VECTOR);
	came = user_call(wait_taken, NULL);
	lapic_timer_stop();
	EXPECT(came == 1, "taken in ring 3: measured %lu, bound 1", came);
	return PASS;
}

static uint64_t halt_in_ring_3(void *argument)
{
	__asm__ volatile("hlt");
	return 0;
}

static uint64_t ud2_in_ring_3(void *argument)
{
	__asm__ volatile("ud2");
	return 0;
}

/* trap_expect()'s argument is the function for ring 3. */
static void call_user(void *function)
{
	user_call((uint64_t(*)(void *))function, NULL);
}

static enum verdict faults(void)
{
	EXPECT(trap_expect(TRAP_GENERAL_PROTECTION, call_user, halt_in_ring_3),
	       "HLT in ring 3 raised no #GP");
	EXPECT(trap_expect(TRAP_INVALID_OPCODE, call_user, ud2_in_ring_3),
	       "UD2 in ring 3 raised no #UD");
	EXPECT(ring_of_cs() == 0, "went on in ring %lu, bound 0", ring_of_cs());
	return PASS;
}

const struct smoke_check smoke_user_checks[] = {
	{"ring 3 runs a function and reaches a port", port},
	{"ring 3: a system call runs in ring 0 and returns its value", system_call},
	{"ring 3 is interrupted", interrupt},
	{"ring 3: a fault is caught", faults},
	{NULL, NULL},
};
