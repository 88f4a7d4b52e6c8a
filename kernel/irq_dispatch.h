/*
 * Interrupts, as trap.c and the command line see them.
 */
#ifndef TICKVM_IRQ_DISPATCH_H
#define TICKVM_IRQ_DISPATCH_H

#include "trap.h"

/* Counts, calls the handler, acknowledges. */
void irq_dispatch(struct trap_frame *frame);

/* From entry.S: every interrupt and exception. */
void trap_dispatch(struct trap_frame *frame);

/* idle=NAME: "halt" or "poll". -1: neither. */
int idle_select(const char *name);

#endif
