/*
 * Per-CPU registers: GS base, IDT, task state segment with its interrupt stacks
 * (SDM vol. 3 § 6.14.5 and § 8.2.3).
 */
#include "cpu.h"

#include "io.h"

#define MSR_GS_BASE	  0xc0000101
#define TSS_AVAILABLE	  0x89 /* present, 64-bit TSS, not busy */
#define DESCRIPTORS_A_TSS 2
#define IO_PORTS	  0x10000

struct pointer {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

extern const struct pointer idt_pointer;
extern uint64_t gdt[];

/*
 * The task state segments, and behind them the one I/O permission map that all share
 * (SDM vol. 1 § 19.5.2): each names it by its own distance. All its bits are clear, so
 * that ring 3 may use every port, but for the byte of ones that must end a map.
 */
static struct {
	struct tss tss[CPUS_MAX];
	uint8_t io_map[IO_PORTS / 8];
	uint8_t io_map_end;
} tasks;

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
	struct tss *tss = &tasks.tss[index];
	uint64_t base = (uintptr_t)tss;
	uint64_t limit = (uintptr_t)&tasks.io_map_end - base;
	uint64_t *descriptor = &gdt[SELECTOR_TSS / 8 + DESCRIPTORS_A_TSS * index];

	for (unsigned i = 0; i < IST_COUNT; i++)
		tss->ist[i] = (uintptr_t)area->ist[i] + IST_STACK_SIZE;
	tss->io_map_base = (uintptr_t)tasks.io_map - base;
	tasks.io_map_end = 0xff;
	area->cpu.tss = tss;
	area->cpu.user_stack = (uintptr_t)area->user_stack + USER_STACK_SIZE;

	descriptor[0] = limit | (base & 0xffffff) << 16 | (uint64_t)TSS_AVAILABLE << 40 |
			(base >> 24 & 0xff) << 56;
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
