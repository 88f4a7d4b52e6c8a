/*
 * Mutants: known-bad behaviours that the tests must flag.
 *
 * MUTANT(name) is constant false in tickvm, so that the compiler drops the bad
 * branch, and a switch in tickvm-mutants (same sources, -DTICKVM_MUTANTS), which
 * takes --mutant=NAME. Names are listed once, in mutant.def with what they do.
 */
#ifndef TICKVM_MUTANT_H
#define TICKVM_MUTANT_H

#include <stdbool.h>

#define MUTANT_DEFINE(name, what) MUTANT_##name,
enum mutant {
#include "mutant.def"
	MUTANT_COUNT
};
#undef MUTANT_DEFINE

#ifdef TICKVM_MUTANTS
extern bool mutant_on[MUTANT_COUNT];
#define MUTANT(name) mutant_on[MUTANT_##name]

/* Switches one on. -1: there is none of this name. */
int mutant_enable(const char *name);

/* Prints "NAME  what it does" a line, for --mutant=help. */
void mutant_list(void);

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
