/*
 * stack: alignment at each entry into C, FPU and SSE state under interrupts (BC-26).
 *
 * The image itself has no SSE or x87 instruction, so that a compiler's assumptions
 * cannot show a fault: the alignment is looked at (trap.h, ENTRY_ALIGNED), and a
 * pattern is put into the registers by FXRSTOR and looked for by FXSAVE (SDM vol. 1
 * § 10.5) after interrupts.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "cpus.h"
#include "drivers/lapic.h"
#include "kernel/irq.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"
#include "kernel/trap.h"
#include "kernel/user.h"

#define VECTOR	   IRQ_VECTOR_APP
#define PERIOD_US  200
#define CR4_OSFXSR (1u << 9)
#define CR0_EM_TS  (1u << 2 | 1u << 3)

const struct app_key stack_keys[] = {
	{"n", "timer interrupts on each CPU, 1 to 10000000 (500)"},
	{NULL, NULL},
};

/* The FXSAVE image in 64-bit mode, as far as it is looked at. */
struct fpu_state {
	uint16_t control;
	uint8_t x87[22];
	uint32_t mxcsr, mxcsr_mask;
	uint8_t st[8][16];
	uint8_t xmm[16][16];
	uint8_t rest[96];
} __attribute__((aligned(16)));
_Static_assert(sizeof(struct fpu_state) == 512, "the FXSAVE area is 512 bytes");
_Static_assert(offsetof(struct fpu_state, mxcsr) == 24, "MXCSR at 24");
_Static_assert(offsetof(struct fpu_state, xmm) == 160, "XMM0 at 160");

#define PATTERN_CONTROL \
	0x0e7f		     /* round to zero, 53 bits, all exceptions masked; 0x037f is FNINIT's */
#define PATTERN_MXCSR 0x7f80 /* round to zero, all exceptions masked; 0x1f80 is RESET's */

static void fpu_save(struct fpu_state *state)
{
	__asm__ volatile("fxsave64 %0" : "=m"(*state));
}

static void fpu_load(const struct fpu_state *state)
{
	__asm__ volatile("fxrstor64 %0" : : "m"(*state));
}

static uint32_t fpu_off, fpu_lost; /* CPUs */

static void note_fpu_off(void *argument)
{
	uint64_t cr0, cr4;

	__asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	if (!(cr4 & CR4_OSFXSR) || cr0 & CR0_EM_TS)
		fpu_off++;
}

static void come(void *argument)
{
}

static void take_interrupts(uint64_t n)
{
	uint64_t until = irq_count(VECTOR) + n;

	lapic_timer_periodic((uint32_t)((uint64_t)lapic_timer_khz() * PERIOD_US / 1000), 0, VECTOR);
	while (irq_count(VECTOR) < until)
		cpu_halt();
	lapic_timer_stop();
}

static bool same_registers(const struct fpu_state *a, const struct fpu_state *b)
{
	return a->control == b->control && a->mxcsr == b->mxcsr &&
	       !memcmp(a->xmm, b->xmm, sizeof(a->xmm));
}

/* A pattern of this CPU's own under n interrupts. */
static void keep_pattern(void *argument)
{
	static struct fpu_state before, pattern, after;

	fpu_save(&before);
	pattern = before;
	pattern.control = PATTERN_CONTROL;
	pattern.mxcsr = PATTERN_MXCSR;
	for (unsigned i = 0; i < 16; i++)
		memset(pattern.xmm[i], (int)(cpu_index() << 4 | i) + 1, sizeof(pattern.xmm[i]));
	fpu_load(&pattern);
	take_interrupts(*(const uint64_t *)argument);
	fpu_save(&after);
	fpu_load(&before);
	fpu_lost += !same_registers(&after, &pattern);
}

static void undefined_opcode(void *argument)
{
	__asm__ volatile("ud2");
}

/* Nothing is mapped above 4 GiB. */
static void touch_unmapped(void *argument)
{
	*(volatile char *)(UINT64_C(1) << 32) = 0;
}

static uint64_t user_function(void *argument)
{
	return 0;
}

static void check_entries(uint64_t interrupts)
{
	static const char *const names[] = {
		[ENTRY_MAIN] = "main",
		[ENTRY_AP] = "another CPU's start",
		[ENTRY_INTERRUPT] = "interrupt handler",
		[ENTRY_EXCEPTION] = "exception handler, no error code",
		[ENTRY_EXCEPTION_CODE] = "exception handler, error code",
		[ENTRY_CALL] = "function called on another CPU",
		[ENTRY_USER] = "function in ring 3",
		[ENTRY_SYSCALL] = "system call",
	};
	uint64_t others = smp_online() - 1;
	uint64_t least[] = {
		[ENTRY_MAIN] = 1,      [ENTRY_AP] = others,	   [ENTRY_INTERRUPT] = interrupts,
		[ENTRY_EXCEPTION] = 1, [ENTRY_EXCEPTION_CODE] = 1, [ENTRY_CALL] = others,
		[ENTRY_USER] = 1,      [ENTRY_SYSCALL] = 1,
	};

	for (unsigned kind = 0; kind < ENTRY_KINDS; kind++) {
		uint64_t entries = entry_count(kind), misaligned = entry_misaligned(kind);

		ktap_note("%s: misaligned: measured %" PRIu64
			  ", bound 0; entries: measured %" PRIu64 ", bound at least %" PRIu64,
			  names[kind], misaligned, entries, least[kind]);
		ktap_result(misaligned == 0 && entries >= least[kind], "%s: stack is aligned",
			    names[kind]);
	}
}

int stack_main(void)
{
	uint64_t n = app_number("n", 500, 1, 10000000);

	if (!lapic_timer_khz())
		app_exit(TK_EXIT_SKIPPED, "stack: no local APIC timer");
	ktap_begin(ENTRY_KINDS + 4);
	smp_start();
	irq_attach(VECTOR, come, NULL);
	cpus_in_turn(note_fpu_off, NULL);
	check_equal("FPU and SSE state can be saved: CPUs that cannot", fpu_off, 0);
	cpus_in_turn(keep_pattern, &n);
	check_equal("FPU state under interrupts: CPUs that lost it", fpu_lost, 0);
	ktap_result(trap_expect(TRAP_INVALID_OPCODE, undefined_opcode, NULL), "#UD is caught");
	ktap_result(trap_expect(TRAP_PAGE_FAULT, touch_unmapped, NULL), "#PF is caught");
	user_call(user_function, NULL);
	check_entries(n * smp_online());
	return ktap_end();
}
