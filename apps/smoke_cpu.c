/*
 * smoke: the processor's mode, its tables, exceptions, and the tables of ACPI.
 */
#include "smoke.h"

#include <stddef.h>

#include "drivers/acpi.h"
#include "kernel/io.h"
#include "kernel/trap.h"

#define CPUID_EXTENDED	      0x80000001
#define CPUID_LONG_MODE	      (1u << 29) /* EDX of that leaf */
#define MSR_EFER	      0xc0000080
#define EFER_LMA	      (1u << 10)
#define DESCRIPTOR_TYPE	      0x1f
#define DESCRIPTOR_BUSY_TSS   0x0b
#define ABOVE_THE_PAGE_TABLES ((volatile char *)(UINT64_C(1) << 32))

static enum verdict long_mode(void)
{
	uint32_t edx = cpuid(CPUID_EXTENDED, 0).edx;
	uint64_t efer = rdmsr(MSR_EFER);

	EXPECT(cpuid(0, 0).eax >= 1, "CPUID has no leaf 1");
	EXPECT(edx & CPUID_LONG_MODE, "CPUID 0x80000001 EDX %#x denies long mode", edx);
	EXPECT(efer & EFER_LMA, "EFER %#lx: LMA is clear", efer);
	return PASS;
}

/* SDM vol. 3 § 8.2.4: TR names a descriptor that LTR has marked busy. */
static enum verdict task_register(void)
{
	struct {
		uint16_t limit;
		const uint8_t *base;
	} __attribute__((packed)) gdt;
	uint16_t selector;
	unsigned type;

	__asm__ volatile("sgdt %0" : "=m"(gdt));
	__asm__ volatile("str %0" : "=r"(selector));
	EXPECT(selector && selector + 15 <= gdt.limit, "TR %#x, GDT limit %#x", selector,
	       gdt.limit);
	type = gdt.base[selector + 5] & DESCRIPTOR_TYPE;
	EXPECT(type == DESCRIPTOR_BUSY_TSS, "TR's descriptor has type %#x, bound %#x", type,
	       DESCRIPTOR_BUSY_TSS);
	return PASS;
}

static void undefined_opcode(void *argument)
{
	__asm__ volatile("ud2");
}

static void touch_unmapped(void *argument)
{
	*ABOVE_THE_PAGE_TABLES = 0;
}

static enum verdict exceptions(void)
{
	EXPECT(trap_expect(TRAP_INVALID_OPCODE, undefined_opcode, NULL), "UD2 raised nothing");
	EXPECT(trap_expect(TRAP_PAGE_FAULT, touch_unmapped, NULL),
	       "a write to an unmapped page raised nothing");
	return PASS;
}

static enum verdict alignment(void)
{
	for (unsigned kind = 0; kind < ENTRY_KINDS; kind++)
		EXPECT(entry_misaligned(kind) == 0, "entry kind %u: %lu misaligned of %lu", kind,
		       entry_misaligned(kind), entry_count(kind));
	EXPECT(entry_count(ENTRY_MAIN) == 1, "entries of main: measured %lu, bound 1",
	       entry_count(ENTRY_MAIN));
	return PASS;
}

static bool sums_to_0(const char *signature)
{
	const struct acpi_header *table = acpi_find(signature);
	uint8_t sum = 0;

	for (uint32_t i = 0; table && i < table->length; i++)
		sum += ((const uint8_t *)table)[i];
	return table && sum == 0;
}

static enum verdict acpi_tables(void)
{
	if (!acpi_find("FACP") && !acpi_find("APIC"))
		return skipped("no ACPI tables");
	EXPECT(sums_to_0("FACP"), "FADT: missing, or its bytes do not sum to 0");
	EXPECT(sums_to_0("APIC"), "MADT: missing, or its bytes do not sum to 0");
	return PASS;
}

const struct smoke_check smoke_cpu_checks[] = {
	{"CPU is in long mode", long_mode},
	{"task register names a busy TSS", task_register},
	{"exceptions are caught", exceptions},
	{"stack is aligned at every entry", alignment},
	{"ACPI tables FADT and MADT are sound", acpi_tables},
	{NULL, NULL},
};
