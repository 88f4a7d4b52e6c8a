/*
 * Numbers that the assembler and the compiler share: segment selectors, the
 * interrupt stacks, and the shape of a CPU's area.
 */
#ifndef TICKVM_LAYOUT_H
#define TICKVM_LAYOUT_H

/* Where linker.ld puts the 256 entry stubs, so that the IDT can be static data. */
#define VECTORS_BASE	 0x100000
#define VECTOR_STUB_SIZE 16

/*
 * Vectors below are exceptions. Bit n of the mask: exception n pushes an error code,
 * which are #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP (SDM vol. 3 table 6-1), and AMD's
 * #VC and #SX.
 */
#define EXCEPTIONS	32
#define PUSH_ERROR_CODE 0x60227d00

/* Selectors of the GDT; the TSS descriptors take two slots each, a pair a CPU. */
#define SELECTOR_CODE32 0x08
#define SELECTOR_CODE64 0x10
#define SELECTOR_DATA	0x18
#define SELECTOR_TSS	0x30

/* Ring 3's, in the order that SYSRET computes them in: base + 8 and base + 16 (SDM vol. 3 § 5.8.8).
 */
#define SELECTOR_SYSRET_BASE 0x1b
#define SELECTOR_USER_DATA   0x23
#define SELECTOR_USER_CODE64 0x2b

/* What the boot loader leaves in EAX (multiboot2), or we put there (PVH start info's magic). */
#define MULTIBOOT2_MAGIC 0x36d76289
#define PVH_MAGIC	 0x336ec578

/* Interrupt stack table: which exception has a stack of its own. */
#define IST_DOUBLE_FAULT  1
#define IST_NMI		  2
#define IST_MACHINE_CHECK 3
#define IST_MEMORY_FAULT  4 /* #SS, #GP, #PF: a broken RSP is what they may be about */
#define IST_COUNT	  4

#define CPU_STACK_SIZE	16384
#define IST_STACK_SIZE	4096
#define USER_STACK_SIZE 16384

/* Where the assembler finds what it needs: of struct cpu, through GS, and of the TSS. */
#define CPU_USER_GATE  8
#define CPU_KERNEL_RSP 16
#define CPU_USER_RSP   24
#define TSS_RSP0       4

#define CPUS_MAX 64

#endif
