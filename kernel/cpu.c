/*
 * Per-CPU registers: GS base, IDT, task state segment with its interrupt stacks
 * (SDM vol. 3 § 6.14.5 and § 8.2.3).
 */
#include "cpu.h"

#include "io.h"

#define MSR_GS_BASE	  0xc0000101
#define TSS_AVAILABLE	  0x89 /* present, 64-bit TSS, not busy */
#define DESCRIPTORS_A_TSS 2

struct pointer {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

extern const struct pointer idt_pointer;
extern uint64_t gdt[];

struct cpu_area boot_area;
struct cpu *cpus[CPUS_MAX];

void cpu_early(struct cpu_area *area)
{
	struct cpu *cpu = &area->cpu;

	cpu->self = cpu;
	wrmsr(MSR_GS_BASE, (uintptr_t)cpu);
	__asm__ volatile("lidt %0" : : "m"(idt_pointer));
}

void cpu_load_tss(struct cpu_area *area, unsigned index)
{
	struct tss *tss = &area->cpu.tss;
	uint64_t base = (uintptr_t)tss;
	uint64_t *descriptor = &gdt[SELECTOR_TSS / 8 + DESCRIPTORS_A_TSS * index];

	tss->rsp[0] = (uintptr_t)area->stack + CPU_STACK_SIZE;
	for (unsigned i = 0; i < IST_COUNT; i++)
		tss->ist[i] = (uintptr_t)area->ist[i] + IST_STACK_SIZE;
	tss->io_map_base = sizeof(*tss);

	descriptor[0] = (sizeof(*tss) - 1) | (base & 0xffffff) << 16 |
			(uint64_t)TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
	descriptor[1] = base >> 32;
	__asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS + 16 * index));
}

uint64_t entry_count(enum entry_kind kind)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CPUS_MAX; i++)
		sum += cpus[i] ? cpus[i]->entries[kind] : 0;
	return sum;
}

uint64_t entry_misaligned(enum entry_kind kind)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CPUS_MAX; i++)
		sum += cpus[i] ? cpus[i]->misaligned[kind] : 0;
	return sum;
}
