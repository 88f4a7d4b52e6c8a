/*
 * exits: what each way out of the guest costs, one loop a kind.
 *
 * All loops have the same number of instructions and differ in one (exit_loop.h),
 * so that the cost of a kind is its figure less that of `empty`, even where the
 * host interprets the guest. The VMM counts exits and CPU time of each loop by
 * its phase; the samples are TSC ticks an operation, a value a batch.
 *
 * What a kind stands for:
 *   null-port    the pair's null register: the cheapest port in the VMM
 *   pmtimer      the ACPI PM timer's port
 *   kernel-port  ELCR1, in KVM with KVM's PIC, in the VMM with --irqchip=split
 *   null-page    the pair's null page: the cheapest MMIO in the VMM
 *   ioapic       IOREGSEL read, in KVM with KVM's I/O APIC
 *   lapic        version register read, in KVM (in hardware with APICv); xAPIC only
 *   msr          IA32_APIC_BASE read, which KVM always intercepts
 *   cpuid        leaf 0, which always exits on VMX
 *   ipi          an interrupt sent to this CPU, never taken: the ICR write alone
 *   halt         HLT with an interrupt pending, which is then taken and handled
 *   halt-port    `halt` with a port read (null-port, else pmtimer) in HLT's place
 *
 * `halt` and `halt-port` run the same instructions but for that one, and more than
 * the other loops: HLT costs halt - halt-port more than that port.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "drivers/acpi.h"
#include "drivers/lapic.h"
#include "exit_loop.h"
#include "kernel/io.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"

#define BATCHES_MAX 4096
#define HALT_SHARE  8 /* a halt with its interrupt costs some ten times the others */

const struct app_key exits_keys[] = {
	{"n", "operations a batch, 16 to 10000000 (256); an eighth of it with interrupts"},
	{"batches", "batches of each kind, 1 to 4096 (16)"},
	{"rounds",
	 "how often all kinds are gone through, so that they share the noise, 1 to 16 (1)"},
	{"only", "kinds to measure, separated by commas (all)"},
	{NULL, NULL},
};

#define MSR_APIC_BASE	  0x1b
#define APIC_BASE_ADDRESS 0xfffff000
#define LAPIC_VERSION	  0x30
#define LAPIC_ICR	  0x300
#define MSR_X2APIC_SELF	  0x83f
#define ICR_TO_SELF	  (1u << 18) /* destination shorthand, fixed delivery, edge */
#define PORT_ELCR1	  0x4d0

static uint64_t lapic_register(unsigned offset)
{
	return (rdmsr(MSR_APIC_BASE) & APIC_BASE_ADDRESS) + offset;
}

/* How a kind gets its operands. Returns why this machine lacks it, or NULL. */
typedef const char *prepare(struct operands *o);

static const char *prepare_empty(struct operands *o)
{
	return NULL;
}

static const char *prepare_null_port(struct operands *o)
{
	if (!pair_present())
		return "no pair contract";
	o->rdx = pair_table()->io_base + TK_REG_NULL;
	return NULL;
}

static const char *prepare_pmtimer(struct operands *o)
{
	o->rdx = acpi_info()->pm_timer_port;
	return o->rdx ? NULL : "no ACPI PM timer";
}

static const char *prepare_kernel_port(struct operands *o)
{
	o->rdx = PORT_ELCR1;
	return acpi_info()->no_8259 ? "no PIC" : NULL;
}

static const char *prepare_null_page(struct operands *o)
{
	if (!pair_present())
		return "no pair contract";
	o->rdx = pair_table()->mmio_null_base;
	return NULL;
}

static const char *prepare_ioapic(struct operands *o)
{
	o->rdx = acpi_info()->ioapic_address;
	return o->rdx ? NULL : "no I/O APIC";
}

static const char *prepare_lapic(struct operands *o)
{
	o->rdx = lapic_register(LAPIC_VERSION);
	return lapic_is_x2apic() ? "the local APIC is in x2APIC mode" : NULL;
}

static const char *prepare_msr(struct operands *o)
{
	o->ecx = MSR_APIC_BASE;
	return NULL;
}

/* For the send of IRQ_VECTOR_APP to this CPU in one instruction. */
static const char *prepare_ipi(struct operands *o)
{
	o->eax = IRQ_VECTOR_APP;
	if (lapic_is_x2apic()) {
		o->ecx = MSR_X2APIC_SELF;
	} else {
		o->eax |= ICR_TO_SELF;
		o->rdx = lapic_register(LAPIC_ICR);
	}
	return NULL;
}

static const char *prepare_halt(struct operands *o)
{
	struct operands port = {0};

	if (prepare_null_port(&port) && prepare_pmtimer(&port))
		return "neither pair contract nor PM timer to compare with";
	o->port = (uint32_t)port.rdx;
	return prepare_ipi(o);
}

#define SEND_XAPIC  "movl	%%eax, (%%rdx)"
#define SEND_X2APIC "wrmsr"

EXIT_LOOP(loop_empty, "nop")
EXIT_LOOP(loop_in8, "inb	%%dx, %%al")
EXIT_LOOP(loop_in32, "inl	%%dx, %%eax")
EXIT_LOOP(loop_mmio, "movl	(%%rdx), %%eax")
EXIT_LOOP(loop_msr, "rdmsr")
EXIT_LOOP(loop_cpuid, "cpuid")
EXIT_LOOP(loop_ipi_xapic, SEND_XAPIC)
EXIT_LOOP(loop_ipi_x2apic, SEND_X2APIC)

/* cpu_halt() (kernel/entry.S) with a port read in HLT's place. */
__asm__("	.text\n"
	"cpu_halt_port:\n"
	"	sti\n"
	"	inl	%dx, %eax\n"
	"	cli\n"
	"	ret\n");

EXIT_LOOP_INTERRUPT(loop_halt_xapic, SEND_XAPIC, cpu_halt)
EXIT_LOOP_INTERRUPT(loop_halt_x2apic, SEND_X2APIC, cpu_halt)
EXIT_LOOP_INTERRUPT(loop_halt_port_xapic, SEND_XAPIC, cpu_halt_port)
EXIT_LOOP_INTERRUPT(loop_halt_port_x2apic, SEND_X2APIC, cpu_halt_port)

typedef void loop(uint64_t n, const struct operands *o);

static const struct kind {
	const char *name;
	prepare *prepare;
	loop *loop, *loop_x2apic; /* the second, if any, where the local APIC is in x2APIC mode */
	bool interrupts;	  /* one is taken in each operation */
} kinds[] = {
	{"empty", prepare_empty, loop_empty, NULL, false},
	{"null-port", prepare_null_port, loop_in32, NULL, false},
	{"pmtimer", prepare_pmtimer, loop_in32, NULL, false},
	{"kernel-port", prepare_kernel_port, loop_in8, NULL, false},
	{"null-page", prepare_null_page, loop_mmio, NULL, false},
	{"ioapic", prepare_ioapic, loop_mmio, NULL, false},
	{"lapic", prepare_lapic, loop_mmio, NULL, false},
	{"msr", prepare_msr, loop_msr, NULL, false},
	{"cpuid", prepare_empty, loop_cpuid, NULL, false},
	{"ipi", prepare_ipi, loop_ipi_xapic, loop_ipi_x2apic, false},
	{"halt", prepare_halt, loop_halt_xapic, loop_halt_x2apic, true},
	{"halt-port", prepare_halt, loop_halt_port_xapic, loop_halt_port_x2apic, true},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(*kinds))

static void count_only(void *argument)
{
	MUTANT_20_NOPS(handler_20_nops);
}

/* Takes what `ipi` left pending, however late this machine looks at interrupts. */
static void drain(void)
{
	irq_chip()->ipi(irq_chip()->apic_id(), IRQ_VECTOR_APP);
	cpu_halt();
}

/* Runs all batches of a kind, interrupts off but where its loop lets them in. */
static void measure(const struct kind *k, const struct operands *o, unsigned n, unsigned batches)
{
	static uint64_t ticks[BATCHES_MAX];
	loop *run = k->loop_x2apic && lapic_is_x2apic() ? k->loop_x2apic : k->loop;
	uint64_t operations = (uint64_t)n * batches, taken;
	char name[TK_NAME_SIZE];

	snprintf(name, sizeof(name), "exits.%s", k->name);
	taken = irq_count(IRQ_VECTOR_APP);
	pair_phase_begin(name);
	for (unsigned i = 0; i < batches; i++) {
		uint64_t start = rdtsc_ordered();

		run(n, o);
		ticks[i] = (rdtsc_ordered() - start) / n;
	}
	pair_phase_end(name, operations);
	taken = irq_count(IRQ_VECTOR_APP) - taken;
	drain();
	pair_samples(name, "tsc", ticks, batches, sizeof(*ticks));
	ktap_note("%s: %u batches of %u; interrupts taken: measured %" PRIu64 ", bound %" PRIu64,
		  name, batches, n, taken, k->interrupts ? operations : 0);
	ktap_result(taken == (k->interrupts ? operations : 0), "%s", k->name);
}

static void measure_or_skip(const struct kind *k, unsigned n, unsigned batches)
{
	struct operands o = {0};
	const char *lacking = k->prepare(&o);

	if (lacking)
		ktap_skip(k->name, "%s", lacking);
	else
		measure(k, &o, k->interrupts ? n / HALT_SHARE : n, batches);
}

static const struct kind *find_kind(const char *name, size_t length)
{
	char list[16 * KIND_COUNT];
	int used = 0;

	for (unsigned i = 0; i < KIND_COUNT; i++) {
		if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length))
			return &kinds[i];
	}
	for (unsigned i = 0; i < KIND_COUNT; i++)
		used += snprintf(list + used, sizeof(list) - used, " %s", kinds[i].name);
	app_exit(TK_EXIT_USAGE, "only=%s: no such kind; there are:%s", name, list);
}

/* Marks the kinds that `only` names; returns how many. */
static unsigned select_kinds(bool selected[KIND_COUNT])
{
	const char *only = app_option("only");
	unsigned count = 0;

	for (const char *name = only; name; name = strchr(name, ',')) {
		name += name != only; /* the comma */
		selected[find_kind(name, strcspn(name, ",")) - kinds] = true;
	}
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		selected[i] |= !only;
		count += selected[i];
	}
	return count;
}

int exits_main(void)
{
	unsigned n = app_number("n", 256, 16, 10000000);
	unsigned batches = app_number("batches", 16, 1, BATCHES_MAX);
	unsigned rounds = app_number("rounds", 1, 1, 16);
	bool selected[KIND_COUNT] = {false};
	bool irqs_on = irq_save();

	if (!lapic_present())
		app_exit(TK_EXIT_SKIPPED, "exits: no local APIC");
	ktap_begin(select_kinds(selected) * rounds);
	irq_attach(IRQ_VECTOR_APP, count_only, NULL);
	for (unsigned i = 0; i < KIND_COUNT * rounds; i++) {
		if (selected[i % KIND_COUNT])
			measure_or_skip(&kinds[i % KIND_COUNT], n, batches);
	}
	irq_attach(IRQ_VECTOR_APP, NULL, NULL);
	irq_restore(irqs_on);
	return ktap_end();
}
