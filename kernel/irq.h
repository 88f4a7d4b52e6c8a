/*
 * Interrupts: vectors, their handlers, and halting until one comes.
 *
 * Vectors are given out here once, so that no two users meet. Handlers run with
 * interrupts off on the interrupted stack; they may not allocate or print. The
 * kernel acknowledges (EOI) after the handler returns.
 */
#ifndef TICKVM_IRQ_H
#define TICKVM_IRQ_H

#include <stdbool.h>
#include <stdint.h>

enum irq_vector {
	IRQ_VECTOR_GSI = 0x30,	    /* + GSI 0..23 of the first I/O APIC */
	IRQ_VECTOR_TIMER = 0x50,    /* LAPIC timer */
	IRQ_VECTOR_WAKE = 0x51,	    /* IPI: look for work */
	IRQ_VECTOR_APP = 0x60,	    /* .. 0x6f: free for apps */
	IRQ_VECTOR_SPURIOUS = 0xff, /* not acknowledged */
};

struct trap_frame; /* trap.h */

typedef void irq_handler(void *argument);

/* Handler of a vector (>= 0x20). Set it before the source is switched on; NULL detaches. */
void irq_attach(uint8_t vector, irq_handler *handler, void *argument);

/* How many interrupts of a vector this CPU has taken. */
uint64_t irq_count(uint8_t vector);

static inline void irq_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("cli" : : : "memory");
}

/* Switches interrupts off; returns whether they were on, for irq_restore(). */
static inline bool irq_save(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags) : : "memory");
	return flags & 0x200;
}

static inline void irq_restore(bool on)
{
	if (on)
		irq_enable();
}

/*
 * STI; HLT; CLI: waits for the next interrupt, called and left with interrupts
 * off. Between the caller's test and the HLT no interrupt can be lost: STI holds
 * them back for one instruction, and where a host forgets that (a nested host
 * under QEMU's emulator does), interrupt entry steps over the HLT.
 */
void cpu_halt(void);

/* How this guest waits: cpu_halt(), or with `idle=poll` a PAUSE with interrupts on. */
void cpu_idle(void);

/*
 * What the interrupt controller driver gives the kernel. Null until it has
 * registered; the kernel then refuses to start other CPUs.
 */
struct irq_chip {
	const char *name;	 /* "xapic", "x2apic" */
	void (*start_cpu)(void); /* on each CPU, at its start: enables its local APIC */
	void (*eoi)(void);
	void (*ipi)(uint32_t apic_id, uint8_t vector);
	void (*init)(uint32_t apic_id);			 /* INIT, asserted and released */
	void (*startup)(uint32_t apic_id, uint8_t page); /* SIPI: start at page << 12 */
	uint32_t (*apic_id)(void);			 /* of this CPU */
};
void irq_chip_register(const struct irq_chip *chip);
const struct irq_chip *irq_chip(void);

#endif
