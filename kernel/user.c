/*
 * Ring 3: choosing the gate, entering, and the system calls' table (SDM vol. 3
 * § 5.8.8 for SYSCALL and SYSRET). The assembler's part is user_entry.S.
 */
#include "user.h"

#include <stddef.h>

#include "cpu.h"
#include "io.h"
#include "user_dispatch.h"

#define EXTENDED_LEAF	 0x80000001
#define EXTENDED_SYSCALL (1u << 11) /* EDX */

#define MSR_EFER	0xc0000080
#define EFER_SCE	1
#define MSR_STAR	0xc0000081
#define MSR_LSTAR	0xc0000082
#define MSR_FMASK	0xc0000084
#define RFLAGS_TF_IF_DF 0x700 /* clear in the kernel */

#define UD2_LENGTH 2

/* In user_entry.S: what ring 3 calls, and where SYSCALL arrives. */
extern const char user_gate_syscall[], user_gate_ud2[];
extern const char syscall_entry[], syscall_probe_entry[];

/* Whether SYSCALL led to ring 0 and SYSRET back: run in ring 3, with LSTAR at the probe. */
uint64_t syscall_probe(void *argument);

uint64_t user_enter(uint64_t (*fn)(void *), void *argument, uint64_t stack, struct tss *tss);
_Noreturn void user_leave(uint64_t value);

static user_handler *handlers[USER_NUMBERS];

void user_attach(unsigned number, user_handler *handler)
{
	if (number > USER_EXIT && number < USER_NUMBERS)
		__atomic_store_n(&handlers[number], handler, __ATOMIC_RELEASE);
}

static uint64_t enter(struct cpu *cpu, uint64_t (*fn)(void *), void *argument)
{
	return user_enter(fn, argument, cpu->user_stack, cpu->tss);
}

/* The first call of each CPU: the MSRs are a CPU's own, and no two CPUs need to agree. */
static void choose_gate(struct cpu *cpu)
{
	cpu->user_gate = user_gate_ud2;
	if (!(cpuid(EXTENDED_LEAF, 0).edx & EXTENDED_SYSCALL))
		return;
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SCE);
	wrmsr(MSR_STAR, (uint64_t)SELECTOR_SYSRET_BASE << 48 | (uint64_t)SELECTOR_CODE64 << 32);
	wrmsr(MSR_FMASK, RFLAGS_TF_IF_DF);
	wrmsr(MSR_LSTAR, (uintptr_t)syscall_probe_entry);
	if (!enter(cpu, syscall_probe, NULL))
		return;
	wrmsr(MSR_LSTAR, (uintptr_t)syscall_entry);
	cpu->user_gate = user_gate_syscall;
}

uint64_t user_call(uint64_t (*fn)(void *), void *argument)
{
	struct cpu *cpu = this_cpu();

	if (!cpu->user_gate)
		choose_gate(cpu);
	return enter(cpu, fn, argument);
}

const char *user_gate_name(void)
{
	struct cpu *cpu = this_cpu();

	if (!cpu->user_gate)
		choose_gate(cpu);
	return cpu->user_gate == user_gate_syscall ? "syscall" : "ud2";
}

uint64_t user_main(uint64_t (*fn)(void *), void *argument)
{
	entry_note(ENTRY_USER, ENTRY_ALIGNED());
	return fn(argument);
}

uint64_t user_dispatch(uint64_t number, uint64_t argument)
{
	user_handler *handler;

	entry_note(ENTRY_SYSCALL, ENTRY_ALIGNED());
	if (number == USER_EXIT)
		user_leave(argument);
	handler = number < USER_NUMBERS ? __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE)
					: NULL;
	return handler ? handler(argument) : UINT64_MAX;
}

bool user_trap(struct trap_frame *frame)
{
	if (frame->vector != TRAP_INVALID_OPCODE || frame->rip != (uintptr_t)user_gate_ud2 ||
	    !trap_from_user(frame))
		return false;
	frame->rax = user_dispatch(frame->rdi, frame->rsi);
	frame->rip += UD2_LENGTH;
	return true;
}
