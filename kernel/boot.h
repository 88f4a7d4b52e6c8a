/*
 * The way from the entry in boot.S to an app: what only the kernel itself calls.
 */
#ifndef TICKVM_BOOT_H
#define TICKVM_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "bootinfo.h"
#include "cpu.h"

/* Reads the loader's information into bootinfo(). false: of no known kind. */
bool bootinfo_read(uint32_t magic, uint32_t info);

/* Splits the command line: app_option() works from here on. */
void options_split(void);

/* Finds the app and checks every key; ends the machine if one is bad. */
const struct app *options_check(void);

/* newlib's stdout for the boot CPU, and a new CPU's share of newlib. */
void newlib_init(void);
void newlib_add_cpu(struct cpu *cpu);

/* The boot CPU, which is the only one until smp_start(). */
void smp_init(struct cpu *boot_cpu);

#ifdef TICKVM_MUTANTS
/* mutant=NAME: switches it on, or ends the machine with a list. */
void mutant_select(const char *name);
#endif

#endif
