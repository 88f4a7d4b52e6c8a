/*
 * Ring 3, as trap.c and the assembler see it.
 */
#ifndef TICKVM_USER_DISPATCH_H
#define TICKVM_USER_DISPATCH_H

#include "trap.h"

/* Takes an exception that is ring 3's gate. false: it is another. */
bool user_trap(struct trap_frame *frame);

/* From user_entry.S: ring 3's first function, and every system call. */
uint64_t user_main(uint64_t (*fn)(void *argument), void *argument);
uint64_t user_dispatch(uint64_t number, uint64_t argument);

#endif
