/*
 * From the entry code into C: exceptions, caught or not, and interrupts.
 */
#include "trap.h"

#include <stddef.h>

#include "cpu.h"
#include "fault.h"
#include "irq.h"
#include "irq_dispatch.h"
#include "user_dispatch.h"

#define RFLAGS_IF 0x200

extern const char trap_recover[];

bool trap_call(struct trap_recovery *recovery, void (*fn)(void *), void *argument);

bool trap_expect(uint8_t vector, void (*fn)(void *), void *argument)
{
	struct cpu *cpu = this_cpu();
	bool irqs_on = irq_save();
	struct trap_recovery recovery = {
		.rflags = irqs_on ? RFLAGS_IF : 0,
		.vector = vector,
		.outer = cpu->recovery,
	};
	bool trapped;

	irq_restore(irqs_on);
	cpu->recovery = &recovery;
	trapped = trap_call(&recovery, fn, argument);
	cpu->recovery = recovery.outer;
	return trapped;
}

static void exception(struct trap_frame *frame)
{
	struct cpu *cpu = this_cpu();
	const struct trap_recovery *recovery = cpu->recovery;

	if (user_trap(frame))
		return;
	if (recovery && recovery->vector == frame->vector && !cpu->irq_depth) {
		frame->rip = (uintptr_t)trap_recover;
		frame->rsp = recovery->rsp;
		frame->cs = SELECTOR_CODE64; /* it may come from ring 3 */
		frame->ss = SELECTOR_DATA;
		frame->rflags = (frame->rflags & ~RFLAGS_IF) | recovery->rflags;
	} else {
		fault_trap(frame);
	}
}

void trap_dispatch(struct trap_frame *frame)
{
	enum entry_kind kind = ENTRY_INTERRUPT;

	if (frame->vector < EXCEPTIONS)
		kind = (uint64_t)PUSH_ERROR_CODE >> frame->vector & 1 ? ENTRY_EXCEPTION_CODE
								      : ENTRY_EXCEPTION;
	entry_note(kind, ENTRY_ALIGNED());
	if (frame->vector < EXCEPTIONS)
		exception(frame);
	else
		irq_dispatch(frame);
}
