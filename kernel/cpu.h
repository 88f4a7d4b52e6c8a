/*
 * A CPU, as the kernel keeps it: found through the GS base, never shared.
 * Not for drivers and apps; theirs is smp.h.
 */
#ifndef TICKVM_CPU_H
#define TICKVM_CPU_H

#include <reent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "trap.h"

/* 64-bit task state segment, SDM vol. 3 § 8.7. */
struct tss {
	uint32_t reserved0;
	uint64_t rsp[3]; /* rsp[0]: for an entry from ring 3 */
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3;
	uint16_t io_map_base; /* of the ports that ring 3 may use: a clear bit allows */
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "tss is 104 bytes");
_Static_assert(offsetof(struct tss, rsp) == TSS_RSP0, "see layout.h");

/* Where a caught exception goes on. The stack pointer comes first: entry.S. */
struct trap_recovery {
	uint64_t rsp;
	uint64_t rflags;
	uint8_t vector;
	struct trap_recovery *outer;
};

enum call_state { CALL_IDLE, CALL_CLAIMED, CALL_POSTED };

struct cpu {
	struct cpu *self;      /* first: read as %gs:0 */
	const void *user_gate; /* how ring 3 calls the kernel; NULL: not chosen yet (user.c) */
	uint64_t kernel_rsp;   /* where the kernel's stack goes on while ring 3 runs */
	uint64_t user_rsp;     /* where ring 3's does while it is in a system call */
	unsigned index;
	uint32_t apic_id;
	struct _reent *reent;
	struct trap_recovery *recovery;
	unsigned irq_depth; /* handlers that run */
	uint64_t irqs[256];
	uint64_t entries[ENTRY_KINDS], misaligned[ENTRY_KINDS];

	/* The mailbox of cpu_call(); the boot CPU's is for ever claimed. */
	unsigned call_state;
	void (*call)(void *argument);
	void *call_argument;
	uint64_t waiters; /* bit n: CPU n waits in cpu_wait() */

	struct tss *tss;
	uint64_t user_stack;	 /* its upper end */
	struct _reent own_reent; /* not the boot CPU's: that is newlib's own */
};

_Static_assert(offsetof(struct cpu, user_gate) == CPU_USER_GATE, "see layout.h");
_Static_assert(offsetof(struct cpu, kernel_rsp) == CPU_KERNEL_RSP, "see layout.h");
_Static_assert(offsetof(struct cpu, user_rsp) == CPU_USER_RSP, "see layout.h");

/* All that a CPU needs: static for the boot CPU, pages for the others. */
struct cpu_area {
	uint8_t stack[CPU_STACK_SIZE]; /* first: boot.S adds its size */
	uint8_t ist[IST_COUNT][IST_STACK_SIZE];
	uint8_t user_stack[USER_STACK_SIZE];
	struct cpu cpu;
} __attribute__((aligned(16)));

static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	/* Volatile: not to be moved before the WRMSR that sets the GS base. */
	__asm__ volatile("movq %%gs:0, %0" : "=r"(cpu));
	return cpu;
}

extern struct cpu_area boot_area;

/* Every CPU that came up, by index; null: not (yet). */
extern struct cpu *cpus[CPUS_MAX];

/* GS base and IDT: from here on this_cpu() and exceptions work, on the stack at hand. */
void cpu_early(struct cpu_area *area);

/* TSS: from here on the interrupt stacks work. */
void cpu_load_tss(struct cpu_area *area, unsigned index);

/* Notes an entry into C: its kind, and whether its caller's stack was aligned. */
static inline void entry_note(enum entry_kind kind, bool aligned)
{
	struct cpu *cpu = this_cpu();

	cpu->entries[kind]++;
	if (!aligned)
		cpu->misaligned[kind]++;
}

#endif
