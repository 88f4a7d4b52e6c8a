/*
 * CPUs: who is there, who I am, and running a function on another one.
 *
 * CPU 0 is the boot CPU. The ACPI driver adds the others as the MADT lists them;
 * the kernel starts them before main() of an app that asks for them (smp_start).
 */
#ifndef TICKVM_SMP_H
#define TICKVM_SMP_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 64

/* Called by the ACPI driver for each enabled processor, the boot CPU included. -1: no room. */
int smp_add_cpu(uint32_t apic_id);

/* CPUs listed, and CPUs that run. Before smp_start() one CPU runs. */
unsigned smp_listed(void);
unsigned smp_online(void);

/* Starts every listed CPU by INIT and SIPI. Returns the number that run, within 1 s. */
unsigned smp_start(void);

unsigned cpu_index(void);
uint32_t cpu_apic_id(unsigned cpu);

/*
 * Runs fn(argument) on another running, idle CPU, with interrupts on there;
 * returns at once. -1: no such CPU, it is this one, or it is busy.
 */
int cpu_call(unsigned cpu, void (*fn)(void *argument), void *argument);

/* Waits, halted, until that CPU is idle again. */
void cpu_wait(unsigned cpu);

#endif
