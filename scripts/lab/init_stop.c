/*
 * L1 stops itself, to be snapshotted: the same instruction, the same time, in each boot.
 *
 * While QEMU stops the machine it may take the CPU for idle, and then puts the clock of
 * instruction counting forward to the next timer; that is a race of its threads. So all
 * runs wait for a time past that timer, to the ns, with interrupts off: the kernel never
 * learns which way it went. The TSC is that clock: one instruction, one tick.
 */
#include "init.h"

#include <sys/io.h>
#include <x86intrin.h>

#define WAIT_TICKS 12000000 /* past the kernel's next tick: 10 ms where HZ is 100 */
#define LOOP	   1000	    /* iterations between two looks at the TSC */
#define NEAR	   (4 * LOOP)

static void wait_roughly(uint64_t until)
{
	while ((int64_t)(until - __rdtsc()) > NEAR)
		for (unsigned i = 0; i < LOOP; i++)
			__asm__ volatile("");
}

/* Ends at one tick: a look at the TSC, then as many one-byte NOPs as are still to go. */
static void wait_exactly(uint64_t until)
{
	uint64_t left, low, high;

	__asm__ volatile("1:	rdtsc\n"
			 "	shl	$32, %[high]\n"
			 "	or	%[high], %[low]\n"
			 "	mov	%[until], %[left]\n"
			 "	sub	%[low], %[left]\n"
			 "	cmp	$128, %[left]\n"
			 "	jg	1b\n"
			 "	test	%[left], %[left]\n"
			 "	js	2f\n"
			 "	lea	2f(%%rip), %[low]\n"
			 "	sub	%[left], %[low]\n"
			 "	jmp	*%[low]\n"
			 "	.fill	128, 1, 0x90\n"
			 "2:\n"
			 : [left] "=&r"(left), [low] "=&a"(low), [high] "=&d"(high)
			 : [until] "r"(until)
			 : "cc");
}

void stop_here(void)
{
	uint64_t until = __rdtsc() + WAIT_TICKS;

	__asm__ volatile("cli" ::: "memory"); /* iopl(3) lets it */
	outb(LAB_PAUSE, LAB_PORT_PAUSE);
	wait_roughly(until);
	wait_exactly(until);
	__asm__ volatile("sti" ::: "memory");
}
