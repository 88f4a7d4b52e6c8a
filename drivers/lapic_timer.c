/*
 * Local APIC timer: one-shot, periodic and TSC-deadline (SDM vol. 3A § 11.5.4).
 *
 * No lock: every CPU has its own timer and its own entry here.
 */
#include "drivers/hypervisor.h"
#include "drivers/lapic.h"
#include "drivers/lapic_regs.h"
#include "drivers/tsc.h"
#include "kernel/clock.h"
#include "kernel/irq.h"
#include "kernel/smp.h"

#define FEATURES_DEADLINE (1u << 24) /* CPUID.1:ECX */
#define MSR_TSC_DEADLINE  0x6e0

#define LVT_ONE_SHOT 0
#define LVT_PERIODIC (1u << 17)
#define LVT_DEADLINE (1u << 18)

#define DIVIDE_BY_1 0

/*
 * The longest that the kernel's sleep is armed for: it keeps the arithmetic here,
 * and that of hosts, within 64 bits. Who sleeps for longer is woken and arms again.
 */
#define LONGEST_NS (1000ull * 1000000000)

#define CALIBRATION_MS 10

static bool has_deadline;

/* What the chip's registers hold, so that arming again costs one access and not three. */
static struct {
	uint32_t lvt;
	uint32_t divide_shift;
} programmed[CPUS_MAX];

static void set_lvt(uint32_t lvt)
{
	if (programmed[cpu_index()].lvt == lvt)
		return;
	programmed[cpu_index()].lvt = lvt;
	lapic_write(LAPIC_LVT_TIMER, lvt);
	/* In xAPIC mode the LVT is memory, and the deadline's WRMSR must not overtake it. */
	if (lvt & LVT_DEADLINE)
		memory_fence();
}

/* The encoding has 2^1 to 2^7 as 0 to 6, 2^0 as 7, and its third bit one place up. */
static void set_divide(unsigned shift)
{
	unsigned code = (shift - 1) & 7;

	if (programmed[cpu_index()].divide_shift == shift)
		return;
	programmed[cpu_index()].divide_shift = shift;
	lapic_write(LAPIC_TIMER_DIVIDE, (code & 3) | (code & 4) << 1);
}

static int start_count(uint32_t count, unsigned divide_shift, uint32_t lvt)
{
	if (!lapic_present() || divide_shift > LAPIC_DIVIDE_SHIFT_MAX)
		return -1;
	set_lvt(lvt);
	set_divide(divide_shift);
	lapic_write(LAPIC_TIMER_INITIAL, count);
	return 0;
}

int lapic_timer_one_shot(uint32_t count, unsigned divide_shift, uint8_t vector)
{
	return start_count(count, divide_shift, LVT_ONE_SHOT | vector);
}

int lapic_timer_periodic(uint32_t count, unsigned divide_shift, uint8_t vector)
{
	return start_count(count, divide_shift, LVT_PERIODIC | vector);
}

/* Writing 0 would disarm: a deadline of 0 is past, and so is 1. */
int lapic_timer_deadline(uint64_t tsc, uint8_t vector)
{
	if (!has_deadline)
		return -1;
	set_lvt(LVT_DEADLINE | vector);
	wrmsr(MSR_TSC_DEADLINE, tsc ? tsc : 1);
	return 0;
}

uint32_t lapic_timer_left(void)
{
	return lapic_present() ? lapic_read(LAPIC_TIMER_CURRENT) : 0;
}

void lapic_timer_stop(void)
{
	if (!lapic_present())
		return;
	if (programmed[cpu_index()].lvt & LVT_DEADLINE)
		wrmsr(MSR_TSC_DEADLINE, 0);
	else
		lapic_write(LAPIC_TIMER_INITIAL, 0);
}

bool lapic_has_deadline(void)
{
	return has_deadline;
}

static uint64_t read_current(void)
{
	return lapic_read(LAPIC_TIMER_CURRENT);
}

static uint32_t calibrate(void)
{
	uint64_t interval = (uint64_t)tsc_khz() * CALIBRATION_MS;
	struct tsc_sample start, end;

	if (!interval || start_count(UINT32_MAX, DIVIDE_BY_1, LVT_MASKED) < 0)
		return 0;
	start = tsc_sample(read_current);
	while (rdtsc() - start.tsc < interval)
		cpu_pause();
	end = tsc_sample(read_current);
	lapic_timer_stop();
	return (start.counter - end.counter) * tsc_khz() / (end.tsc - start.tsc);
}

/* Two CPUs at once find the same. */
uint32_t lapic_timer_khz(void)
{
	static uint32_t khz;

	if (!khz && lapic_present())
		khz = hypervisor_timing().lapic_khz;
	if (!khz)
		khz = calibrate();
	return khz;
}

/* Rounded up, and one more for the tick that is under way: never early. */
static uint64_t ticks_of(uint64_t delay_ns, uint32_t khz)
{
	if (delay_ns > LONGEST_NS)
		delay_ns = LONGEST_NS;
	return (delay_ns * khz + 999999) / 1000000 + 1;
}

static void arm_deadline(uint64_t delay_ns)
{
	uint64_t ticks = ticks_of(delay_ns, tsc_khz());

	lapic_timer_deadline(rdtsc() + ticks, IRQ_VECTOR_TIMER);
}

static void arm_one_shot(uint64_t delay_ns)
{
	uint64_t ticks = ticks_of(delay_ns, lapic_timer_khz());
	unsigned shift = 0;

	for (; ticks > UINT32_MAX && shift < LAPIC_DIVIDE_SHIFT_MAX; shift++)
		ticks = (ticks + 1) / 2;
	if (ticks > UINT32_MAX)
		ticks = UINT32_MAX;
	lapic_timer_one_shot(ticks, shift, IRQ_VECTOR_TIMER);
}

static const struct clock_event deadline_event = {
	.name = "tsc-deadline",
	.arm_ns = arm_deadline,
	.stop = lapic_timer_stop,
};

static const struct clock_event one_shot_event = {
	.name = "lapic one-shot",
	.arm_ns = arm_one_shot,
	.stop = lapic_timer_stop,
};

void lapic_timer_start_cpu(void)
{
	programmed[cpu_index()].lvt = LVT_MASKED;
	programmed[cpu_index()].divide_shift = UINT32_MAX;
	lapic_write(LAPIC_LVT_TIMER, LVT_MASKED);
	lapic_write(LAPIC_TIMER_INITIAL, 0);
}

void lapic_timer_probe(uint32_t features_ecx)
{
	has_deadline = features_ecx & FEATURES_DEADLINE;
	clock_event_register(has_deadline ? &deadline_event : &one_shot_event);
}
