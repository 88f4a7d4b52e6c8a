/*
 * Exceptions: what is saved, how an app expects one, and the stack's alignment
 * at each kind of entry into C.
 */
#ifndef TICKVM_TRAP_H
#define TICKVM_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define TRAP_INVALID_OPCODE	6  /* ud2; pushes no error code */
#define TRAP_GENERAL_PROTECTION 13 /* pushes an error code */
#define TRAP_PAGE_FAULT		14 /* pushes an error code; anything above 4 GiB is unmapped */

/* As entry.S leaves it on the stack, SDM vol. 3 § 6.14.2 from error_code up. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error_code;
	uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == 22 * sizeof(uint64_t), "22 words: see entry.S");

static inline bool trap_from_user(const struct trap_frame *frame)
{
	return (frame->cs & 3) == 3;
}

/*
 * Runs fn(argument) and returns true if it ended in that exception, false if it
 * returned. Registers and the interrupt flag are as before; locks that fn took are
 * not given back. Any other exception is a fault, and so is one in an interrupt handler.
 * May be nested.
 */
bool trap_expect(uint8_t vector, void (*fn)(void *), void *argument);

/*
 * The ABI: at the entry of a C function, RSP + 8 is a multiple of 16. All code has
 * frame pointers, so this is to be seen from anywhere in a function; it must not be
 * in an inlined one.
 */
#define ENTRY_ALIGNED() (((uintptr_t)__builtin_frame_address(0) & 15) == 0)

/* The assembler enters C in these ways; the kernel looks at each entry's alignment. */
enum entry_kind {
	ENTRY_MAIN, /* the boot CPU, and what main() of an app runs on */
	ENTRY_AP,   /* another CPU's start */
	ENTRY_INTERRUPT,
	ENTRY_EXCEPTION,      /* without an error code */
	ENTRY_EXCEPTION_CODE, /* with one */
	ENTRY_CALL,	      /* a function run by cpu_call() */
	ENTRY_USER,	      /* a function run by user_call() */
	ENTRY_SYSCALL,	      /* a system call from ring 3, its end included */
	ENTRY_KINDS
};

/* How often that kind of entry happened, and how often it was misaligned, on all CPUs. */
uint64_t entry_count(enum entry_kind kind);
uint64_t entry_misaligned(enum entry_kind kind);

#endif
