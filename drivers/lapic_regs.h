/*
 * Local APIC registers, for the files that drive it. Numbers as x2APIC has them:
 * MSR 0x800 + number; the xAPIC's address is base + number · 16.
 */
#ifndef TICKVM_DRIVERS_LAPIC_REGS_H
#define TICKVM_DRIVERS_LAPIC_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/io.h"

#define LAPIC_MSR 0x800

enum lapic_register {
	LAPIC_ID = 0x02,
	LAPIC_TPR = 0x08,
	LAPIC_EOI = 0x0b,
	LAPIC_SVR = 0x0f,
	LAPIC_ISR = 0x10, /* .. 0x17: 32 vectors each */
	LAPIC_ICR_LOW = 0x30,
	LAPIC_ICR_HIGH = 0x31,
	LAPIC_LVT_TIMER = 0x32,
	LAPIC_LVT_LINT0 = 0x35,
	LAPIC_LVT_LINT1 = 0x36,
	LAPIC_LVT_ERROR = 0x37,
	LAPIC_TIMER_INITIAL = 0x38,
	LAPIC_TIMER_CURRENT = 0x39,
	LAPIC_TIMER_DIVIDE = 0x3e,
};

#define LVT_MASKED (1u << 16)

struct lapic {
	uint64_t base; /* the xAPIC's registers; 0: no local APIC */
	bool x2apic;
};
extern struct lapic lapic;

static inline uint32_t lapic_read(enum lapic_register reg)
{
	return lapic.x2apic ? rdmsr(LAPIC_MSR + reg)
			    : mmio_read32(lapic.base + ((uint64_t)reg << 4));
}

static inline void lapic_write(enum lapic_register reg, uint32_t value)
{
	if (lapic.x2apic)
		wrmsr(LAPIC_MSR + reg, value);
	else
		mmio_write32(lapic.base + ((uint64_t)reg << 4), value);
}

/* Before a WRMSR that must not overtake stores, to memory or to the xAPIC. */
static inline void memory_fence(void)
{
	__asm__ volatile("mfence\n\tlfence" : : : "memory");
}

/* lapic_timer.c */
void lapic_timer_probe(uint32_t features_ecx); /* CPUID.1:ECX */
void lapic_timer_start_cpu(void);	       /* on each CPU: masked and stopped */

#endif
