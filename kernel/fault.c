/*
 * What a fault prints (SDM vol. 3 § 6.15 for the exceptions): KTAP diagnostics, so
 * that a reader of the app's results is not led astray, and the reason as last line.
 */
#include "fault.h"

#include <stddef.h>

#include "abi.h"
#include "bootinfo.h"
#include "console.h"
#include "cpu.h"
#include "irq.h"
#include "pair.h"
#include "text.h"

#define FRAMES_MAX 24

static const char *const exception_names[] = {
	[0] = "#DE divide error",
	[1] = "#DB debug",
	[2] = "NMI",
	[3] = "#BP breakpoint",
	[4] = "#OF overflow",
	[5] = "#BR bound range exceeded",
	[6] = "#UD invalid opcode",
	[7] = "#NM device not available",
	[8] = "#DF double fault",
	[10] = "#TS invalid TSS",
	[11] = "#NP segment not present",
	[12] = "#SS stack fault",
	[13] = "#GP general protection",
	[14] = "#PF page fault",
	[16] = "#MF x87 error",
	[17] = "#AC alignment check",
	[18] = "#MC machine check",
	[19] = "#XM SIMD error",
};

static unsigned faulting; /* cpu index + 1 of the first that came here */

/* One CPU reports; it meets itself again only if reporting faults, and then leaves at once. */
static void enter(void)
{
	unsigned none = 0, me = this_cpu()->index + 1;

	irq_disable();
	this_cpu()->recovery = NULL;
	console_break_lock();
	if (__atomic_compare_exchange_n(&faulting, &none, me, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		console_end_line();
		return;
	}
	if (none == me)
		pair_quit(TK_EXIT_FAIL);
	for (;;)
		__asm__ volatile("hlt");
}

static void print(struct text *text)
{
	text_string(text, "\n");
	console_write(text->data, text->length);
	text->length = 0;
}

static void print_registers(struct text *text, const char *const names[], const uint64_t values[],
			    unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i % 4 == 0)
			text_string(text, "#");
		text_string(text, " ");
		text_string(text, names[i]);
		text_string(text, " ");
		text_hex_digits(text, values[i], 16);
		if (i % 4 == 3 || i == count - 1)
			print(text);
	}
}

#define READ_CR(n)                                                      \
	({                                                              \
		uint64_t value_;                                        \
		__asm__ volatile("movq %%cr" #n ", %0" : "=r"(value_)); \
		value_;                                                 \
	})

static void print_frame(struct text *text, const struct trap_frame *f)
{
	static const char *const names[] = {"rip", "rsp", "rfl", "cs ", "rax", "rbx", "rcx", "rdx",
					    "rsi", "rdi", "rbp", "r8 ", "r9 ", "r10", "r11", "r12",
					    "r13", "r14", "r15", "ss ", "cr0", "cr2", "cr3", "cr4"};
	const uint64_t values[] = {f->rip, f->rsp, f->rflags,  f->cs,	   f->rax,     f->rbx,
				   f->rcx, f->rdx, f->rsi,     f->rdi,	   f->rbp,     f->r8,
				   f->r9,  f->r10, f->r11,     f->r12,	   f->r13,     f->r14,
				   f->r15, f->ss,  READ_CR(0), READ_CR(2), READ_CR(3), READ_CR(4)};

	print_registers(text, names, values, sizeof(values) / sizeof(values[0]));
}

static void print_caller(struct text *text, uint64_t address)
{
	text_string(text, "#   ");
	text_hex_digits(text, address, 8);
	text_string(text, " ");
	ksyms_append(text, address);
	print(text);
}

/* Frames lie in RAM, aligned, each above the last, and return into code. */
static void print_backtrace(struct text *text, uint64_t rbp)
{
	uint64_t ram_end = bootinfo()->ram_end;

	for (unsigned i = 0; i < FRAMES_MAX && rbp && rbp % 8 == 0 && rbp < ram_end - 16; i++) {
		const uint64_t *frame = (const uint64_t *)rbp;

		if (!ksyms_is_code(frame[1]))
			return;
		print_caller(text, frame[1]);
		if (frame[0] <= rbp)
			return;
		rbp = frame[0];
	}
}

static void describe(struct text *text, const struct trap_frame *frame)
{
	const char *name = "unexpected interrupt";

	if (frame->vector < 32)
		name = "reserved exception";
	if (frame->vector < sizeof(exception_names) / sizeof(exception_names[0]) &&
	    exception_names[frame->vector])
		name = exception_names[frame->vector];
	text_string(text, name);
	text_string(text, ", vector ");
	text_decimal(text, frame->vector);
	text_string(text, ", error code 0x");
	text_hex(text, frame->error_code);
	text_string(text, ", CPU ");
	text_decimal(text, this_cpu()->index);
	text_string(text, ", ring ");
	text_decimal(text, frame->cs & 3);
	text_string(text, ", at ");
	ksyms_append(text, frame->rip);
}

static struct text text; /* of the one CPU that reports */

void fault_trap(const struct trap_frame *frame)
{
	enter();
	print_frame(&text, frame);
	print_caller(&text, frame->rip);
	print_backtrace(&text, frame->rbp);
	text_string(&text, "tickvm: fault: ");
	describe(&text, frame);
	print(&text);
	pair_exit(TK_EXIT_FAIL);
}

void fault_stop(const char *why)
{
	enter();
	print_backtrace(&text, (uintptr_t)__builtin_frame_address(0));
	text_string(&text, "tickvm: ");
	text_string(&text, why);
	text_string(&text, ", CPU ");
	text_decimal(&text, this_cpu()->index);
	print(&text);
	pair_exit(TK_EXIT_FAIL);
}
