/*
 * The end of a guest that has gone wrong: registers, backtrace, one last line, and
 * a failing exit. Trusts neither newlib nor locks.
 */
#ifndef TICKVM_FAULT_H
#define TICKVM_FAULT_H

#include "trap.h"

/* An exception or interrupt that nobody expected. */
_Noreturn void fault_trap(const struct trap_frame *frame);

/* The program itself says so: abort, a failed assertion. */
_Noreturn void fault_stop(const char *why);

/* "SYMBOL+0xOFFSET" of an address in the code (ksyms.c). */
struct text;
void ksyms_append(struct text *text, uint64_t address);
bool ksyms_is_code(uint64_t address);

/* Console and exit without locks and lines, for the above. */
void console_break_lock(void);
_Noreturn void pair_quit(int code);

#endif
