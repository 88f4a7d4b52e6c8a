/*
 * What an app is and what it may call, beside newlib.
 *
 * The command line picks the app: `app=NAME key=value …`. An app names its keys,
 * so that an unknown one is an error with a list and not silence. It returns a
 * tk_exit code.
 */
#ifndef TICKVM_APP_H
#define TICKVM_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

struct app_key {
	const char *name;
	const char *what; /* one line, with unit, range and default */
};

struct app {
	const char *name;
	const char *what;	    /* one line */
	const struct app_key *keys; /* ends with a null name; NULL: none of its own */
	int (*main)(void);	    /* returns an enum tk_exit */
};

/* apps/table.c; ends with a null name. */
extern const struct app app_table[];

/* Value of a key on the command line, or NULL. A bare word has the value "". */
const char *app_option(const char *key);

/*
 * Number of a key: `fallback` if absent. Decimal or 0x hexadecimal; anything else,
 * or a value outside [min, max], prints one line and exits with TK_EXIT_USAGE.
 */
uint64_t app_number(const char *key, uint64_t fallback, uint64_t min, uint64_t max);

/* Prints "tickvm: <text>" and exits with `code`. */
_Noreturn void app_exit(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * As mutants of the VMM (vmm/mutant.h): constant false but in
 * build/tickvm-mutants.elf, where `mutant=NAME` switches one on. Each is listed in
 * mutant.def, and a byte of its own, so that the assembler can look at it too.
 */
#ifdef TICKVM_MUTANTS
#define MUTANT_DEFINE(name, what) extern bool mutant_##name;
#include "mutant.def"
#undef MUTANT_DEFINE
#define MUTANT(name) mutant_##name

/* Executes 20 instructions more when the mutant is on; the others are the same. */
#define MUTANT_20_NOPS(name)                 \
	__asm__ volatile("	testb	%0, %0\n"   \
			 "	jz	1f\n"          \
			 "	.rept	20\n"       \
			 "	nop\n"            \
			 "	.endr\n"          \
			 "1:"                \
			 :                   \
			 : "q"(MUTANT(name)) \
			 : "cc")
#else
#define MUTANT(name)	     false
#define MUTANT_20_NOPS(name) ((void)0)
#endif

#endif
