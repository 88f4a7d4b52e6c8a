/*
 * 8254 PIT: what an app may ask for beside the clock source "pit".
 */
#ifndef TICKVM_DRIVERS_PIT_H
#define TICKVM_DRIVERS_PIT_H

#include <stdbool.h>
#include <stdint.h>

#define PIT_HZ		 1193182
#define PIT_ISA_IRQ	 0 /* GSI 2 by the usual override: acpi_isa_gsi(PIT_ISA_IRQ) */
#define PIT_ONE_SHOT_MAX 65536

/* Looks for the chip at the first call, from whichever CPU; the first must not race another. */
bool pit_present(void);

/* Channel 0 raises PIT_ISA_IRQ once, after 1 to PIT_ONE_SHOT_MAX ticks. -1: no chip, bad count. */
int pit_one_shot(uint32_t ticks);

/* Channel 0 stops, its line low. */
void pit_stop(void);

/* What channel 2 has counted, modulo 2^16. */
uint16_t pit_ticks(void);

#endif
