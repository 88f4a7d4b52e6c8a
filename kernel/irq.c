/*
 * Interrupts: the handlers' table, the controller that was registered, and the end
 * of interrupt. Nothing is locked: a vector is attached before its source is
 * switched on, and the counts are each CPU's own.
 */
#include "irq.h"

#include <stddef.h>
#include <string.h>

#include "cpu.h"
#include "fault.h"
#include "irq_dispatch.h"

struct slot {
	irq_handler *handler;
	void *argument;
};

extern const char cpu_halt_hlt[];

static const struct irq_chip *chip;
static bool idle_polls;

/* To have come is all that these two are for, until somebody attaches more. */
static void wake(void *argument)
{
}

static struct slot slots[256] = {
	[IRQ_VECTOR_TIMER] = {wake, NULL},
	[IRQ_VECTOR_WAKE] = {wake, NULL},
};

void irq_chip_register(const struct irq_chip *new_chip)
{
	chip = new_chip;
}

const struct irq_chip *irq_chip(void)
{
	return chip;
}

void irq_attach(uint8_t vector, irq_handler *handler, void *argument)
{
	if (!handler && (vector == IRQ_VECTOR_TIMER || vector == IRQ_VECTOR_WAKE))
		handler = wake;
	slots[vector].argument = argument;
	__atomic_store_n(&slots[vector].handler, handler, __ATOMIC_RELEASE);
}

uint64_t irq_count(uint8_t vector)
{
	return this_cpu()->irqs[vector];
}

void irq_dispatch(struct trap_frame *frame)
{
	struct cpu *cpu = this_cpu();
	uint8_t vector = frame->vector;
	const struct slot *slot = &slots[vector];

	cpu->irqs[vector]++;
	/* The host lost the STI shadow: without this the CPU would halt with its wake-up gone. */
	if (frame->rip == (uintptr_t)cpu_halt_hlt)
		frame->rip++;
	if (vector == IRQ_VECTOR_SPURIOUS)
		return;
	if (!slot->handler || !chip)
		fault_trap(frame);
	cpu->irq_depth++;
	slot->handler(slot->argument);
	cpu->irq_depth--;
	chip->eoi();
}

int idle_select(const char *name)
{
	if (strcmp(name, "halt") != 0 && strcmp(name, "poll") != 0)
		return -1;
	idle_polls = strcmp(name, "poll") == 0;
	return 0;
}

void cpu_idle(void)
{
	if (!idle_polls) {
		cpu_halt();
		return;
	}
	irq_enable();
	__asm__ volatile("pause" : : : "memory");
	irq_disable();
}
