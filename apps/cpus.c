/*
 * A function on every running CPU: cpu_call() for the others, a plain call here.
 */
#include "cpus.h"

#include "kernel/smp.h"

void cpus_in_turn(void (*fn)(void *argument), void *argument)
{
	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		if (cpu == cpu_index())
			fn(argument);
		else if (cpu_call(cpu, fn, argument) == 0)
			cpu_wait(cpu);
	}
}

void cpus_at_once(void (*fn)(void *argument), void *argument)
{
	unsigned here = cpu_index();

	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		if (cpu != here)
			cpu_call(cpu, fn, argument);
	}
	fn(argument);
	for (unsigned cpu = 0; cpu < smp_online(); cpu++) {
		if (cpu != here)
			cpu_wait(cpu);
	}
}
