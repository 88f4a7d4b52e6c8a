/*
 * The guest's side of the pair contract (abi.h), and what stands in for it.
 *
 * All calls work on any machine. Without the contract the host's clock reads 0
 * and pair_present() says so, samples are printed as lines, phases are nothing,
 * and the exit goes by isa-debug-exit and ACPI S5.
 */
#ifndef TICKVM_PAIR_H
#define TICKVM_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* The ACPI driver found the table: `body` is its checked content, `length` its bytes. */
void pair_attach(const struct tk_acpi_body *body, uint32_t length);

bool pair_present(void);

/* The table's content, for what an app wants to know; NULL without the contract. */
const struct tk_acpi_body *pair_table(void);

/* The host's CLOCK_MONOTONIC in ns; 0 without the contract. Two exits. */
uint64_t pair_host_ns(void);

/* Hands over an array: see struct tk_samples. width is 4 or 8 bytes a value. */
void pair_samples(const char *name, const char *unit, const void *values, uint32_t count,
		  uint32_t width);

/* Brackets a measured loop of `operations` equal operations: see struct tk_phase. */
void pair_phase_begin(const char *name);
void pair_phase_end(const char *name, uint64_t operations);

void pair_mark(enum tk_mark mark);

/* Ends the machine with a tk_exit code, by whatever means it has. */
_Noreturn void pair_exit(int code);

/* How a machine without the contract is switched off: registered by the ACPI driver. */
void pair_power_off_register(void (*power_off)(void));

#endif
