/*
 * Starting the other CPUs by INIT and SIPI (SDM vol. 3 § 9.4.4, without the delays
 * that only discrete APICs needed), and handing them work.
 */
#include "smp.h"

#include <stddef.h>
#include <string.h>

#include "boot.h"
#include "clock.h"
#include "cpu.h"
#include "io.h"
#include "irq.h"
#include "memory.h"

#define SECOND_SIPI_NS	  10000000ull
#define START_TIMEOUT_NS  1000000000ull
#define TRAMPOLINE_LOWEST 0x8000 /* above what a BIOS and a loader like to keep */

/* A write to the POST port takes about 1 us on a PC: time where there is no clock. */
#define DELAY_PORT	 0x80
#define DELAY_PER_SECOND 1000000u

static uint32_t apic_ids[CPUS_MAX]; /* by index, once ordered */
static unsigned listed, online;

/* A starting CPU draws the next area: boot.S. */
struct cpu_area *ap_areas[CPUS_MAX];
uint32_t ap_ticket;

extern const char trampoline[], trampoline_end[];

_Noreturn void ap_start(struct cpu_area *area);

void smp_init(struct cpu *boot_cpu)
{
	boot_cpu->reent = _GLOBAL_REENT;
	boot_cpu->call_state = CALL_CLAIMED;
	cpus[0] = boot_cpu;
	online = 1;
}

int smp_add_cpu(uint32_t apic_id)
{
	if (listed == CPUS_MAX)
		return -1;
	apic_ids[listed++] = apic_id;
	return 0;
}

unsigned smp_listed(void)
{
	return listed ? listed : 1;
}

unsigned smp_online(void)
{
	return __atomic_load_n(&online, __ATOMIC_ACQUIRE);
}

unsigned cpu_index(void)
{
	return this_cpu()->index;
}

/*
 * The list is in the MADT's order, which need not begin with the boot CPU. The first
 * to ask is the boot CPU, as no other runs before smp_start(), which asks too.
 */
static void put_boot_cpu_first(void)
{
	static bool ordered;
	uint32_t boot_id;
	unsigned i = 0;

	if (ordered || !irq_chip())
		return;
	ordered = true;
	boot_id = irq_chip()->apic_id();
	while (i < listed && apic_ids[i] != boot_id)
		i++;
	if (i == listed) /* not listed: the others move up */
		i = listed < CPUS_MAX ? listed++ : listed - 1;
	memmove(&apic_ids[1], &apic_ids[0], i * sizeof(apic_ids[0]));
	apic_ids[0] = boot_id;
	cpus[0]->apic_id = boot_id;
}

uint32_t cpu_apic_id(unsigned cpu)
{
	put_boot_cpu_first();
	return cpu < listed ? apic_ids[cpu] : 0;
}

/* ---- a CPU's own life ---------------------------------------------------- */

/* Both sides exchange: either the waiter sees CALL_IDLE or we see its bit. */
static void run_call(struct cpu *cpu)
{
	uint64_t waiters;

	entry_note(ENTRY_CALL, ENTRY_ALIGNED());
	irq_enable();
	cpu->call(cpu->call_argument);
	irq_disable();
	__atomic_exchange_n(&cpu->call_state, CALL_IDLE, __ATOMIC_SEQ_CST);
	waiters = __atomic_exchange_n(&cpu->waiters, 0, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; waiters; i++, waiters >>= 1)
		if (waiters & 1)
			irq_chip()->ipi(cpus[i]->apic_id, IRQ_VECTOR_WAKE);
}

static _Noreturn void idle_loop(struct cpu *cpu)
{
	for (;;) {
		if (__atomic_load_n(&cpu->call_state, __ATOMIC_ACQUIRE) == CALL_POSTED)
			run_call(cpu);
		else
			cpu_idle();
	}
}

static unsigned index_of(uint32_t apic_id)
{
	for (unsigned i = 1; i < listed; i++)
		if (apic_ids[i] == apic_id)
			return i;
	for (;;) /* nobody asked for this CPU */
		__asm__ volatile("cli; hlt");
}

void ap_start(struct cpu_area *area)
{
	struct cpu *cpu = &area->cpu;

	cpu_early(area);
	irq_chip()->start_cpu();
	cpu->apic_id = irq_chip()->apic_id();
	cpu->index = index_of(cpu->apic_id);
	cpu_load_tss(area, cpu->index);
	entry_note(ENTRY_AP, ENTRY_ALIGNED());
	__atomic_store_n(&cpus[cpu->index], cpu, __ATOMIC_RELEASE);
	__atomic_fetch_add(&online, 1, __ATOMIC_ACQ_REL);
	irq_chip()->ipi(apic_ids[0], IRQ_VECTOR_WAKE);
	idle_loop(cpu);
}

/* ---- starting them ------------------------------------------------------- */

/* A page of RAM below 1 MiB for the trampoline; 0: the memory map has none. */
static uint32_t trampoline_page(void)
{
	const struct bootinfo *boot = bootinfo();
	uint64_t page = boot->low_start > TRAMPOLINE_LOWEST ? boot->low_start : TRAMPOLINE_LOWEST;

	page = (page + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1ull);
	return page + PAGE_SIZE <= boot->low_end ? page : 0;
}

/* Areas for as many CPUs as memory allows; returns how many CPUs there will be. */
static unsigned prepare_areas(void)
{
	unsigned count = 1;

	for (; count < listed; count++) {
		struct cpu_area *area =
			page_alloc_dirty((sizeof(*area) + PAGE_SIZE - 1) / PAGE_SIZE);

		if (!area)
			break;
		memset(&area->cpu, 0, sizeof(area->cpu)); /* stacks need no zeroes */
		newlib_add_cpu(&area->cpu);
		ap_areas[count - 1] = area;
	}
	return count;
}

/* Waits, halted between the arrivals, until `wanted` CPUs run or the time is over. */
static void wait_online(unsigned wanted, uint64_t timeout_ns)
{
	bool irqs_on = irq_save();
	uint64_t deadline = clock_now_ns() + timeout_ns;

	if (clock_selected())
		while (smp_online() < wanted && clock_doze_until(deadline))
			;
	else
		for (uint64_t i = timeout_ns / (1000000000 / DELAY_PER_SECOND);
		     i && smp_online() < wanted; i--)
			out8(DELAY_PORT, 0);
	irq_restore(irqs_on);
}

static void send_startup(unsigned wanted, uint32_t page)
{
	for (unsigned i = 1; i < wanted; i++)
		if (!__atomic_load_n(&cpus[i], __ATOMIC_ACQUIRE))
			irq_chip()->startup(apic_ids[i], page / PAGE_SIZE);
}

unsigned smp_start(void)
{
	static bool started;
	uint32_t page = trampoline_page();
	unsigned wanted;

	if (started || !irq_chip() || !page)
		return smp_online();
	started = true;
	put_boot_cpu_first();
	wanted = prepare_areas();
	memcpy((void *)(uintptr_t)page, trampoline,
	       (uintptr_t)trampoline_end - (uintptr_t)trampoline);
	for (unsigned i = 1; i < wanted; i++)
		irq_chip()->init(apic_ids[i]);
	send_startup(wanted, page);
	wait_online(wanted, SECOND_SIPI_NS);
	send_startup(wanted, page);
	wait_online(wanted, START_TIMEOUT_NS);
	return smp_online();
}

/* ---- work for them ------------------------------------------------------- */

static struct cpu *other_cpu(unsigned cpu)
{
	if (cpu == 0 || cpu >= CPUS_MAX || cpu == cpu_index())
		return NULL;
	return __atomic_load_n(&cpus[cpu], __ATOMIC_ACQUIRE);
}

int cpu_call(unsigned cpu, void (*fn)(void *argument), void *argument)
{
	struct cpu *other = other_cpu(cpu);
	unsigned idle = CALL_IDLE;

	if (!other || !__atomic_compare_exchange_n(&other->call_state, &idle, CALL_CLAIMED, false,
						   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return -1;
	other->call = fn;
	other->call_argument = argument;
	__atomic_store_n(&other->call_state, CALL_POSTED, __ATOMIC_RELEASE);
	irq_chip()->ipi(other->apic_id, IRQ_VECTOR_WAKE);
	return 0;
}

static bool is_idle(const struct cpu *cpu)
{
	return __atomic_load_n(&cpu->call_state, __ATOMIC_SEQ_CST) == CALL_IDLE;
}

void cpu_wait(unsigned cpu)
{
	struct cpu *other = other_cpu(cpu);
	bool irqs_on = irq_save();

	while (other && !is_idle(other)) {
		__atomic_fetch_or(&other->waiters, 1ull << cpu_index(), __ATOMIC_SEQ_CST);
		if (!is_idle(other))
			cpu_idle();
	}
	irq_restore(irqs_on);
}
