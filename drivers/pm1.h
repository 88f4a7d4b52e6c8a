/*
 * ACPI PM1 fixed hardware: status and enable of the fixed events, the system control
 * interrupt (SCI) that they raise, and reset. Switching the machine off is pair_exit()'s
 * business (kernel/pair.h).
 */
#ifndef TICKVM_DRIVERS_PM1_H
#define TICKVM_DRIVERS_PM1_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/irq.h"

/* Fixed events: bits of both PM1_STS and PM1_EN (ACPI 6.5 § 4.8.3.1). */
#define PM1_TIMER	 (1u << 0) /* the PM timer's top bit changed, to 1 or to 0 */
#define PM1_GLOBAL_LOCK	 (1u << 5)
#define PM1_POWER_BUTTON (1u << 8)
#define PM1_SLEEP_BUTTON (1u << 9)
#define PM1_RTC		 (1u << 10)

/* Whether there is a PM1 event block. Without, the calls below read 0 and write nothing. */
bool pm1_present(void);
uint16_t pm1_status(void);
void pm1_clear(uint16_t events); /* write 1 to clear */
uint16_t pm1_enabled(void);
void pm1_enable(uint16_t events); /* these, and no others */

/*
 * Handler of the SCI, on this CPU: it clears what it handles, or the line, which is
 * level-triggered, raises it again. Takes the PM1 block from firmware first. -1: there is
 * no SCI, no way for it, or firmware keeps the block.
 */
int pm1_sci_attach(irq_handler *handler, void *argument);
void pm1_sci_detach(void);
uint64_t pm1_sci_count(void); /* taken by this CPU */

/*
 * In its handler: whether the SCI is in service, as it should be. An interpreting KVM has
 * ended it by then, and as its line is still asserted, has raised it once more.
 */
bool pm1_sci_in_service(void);

/* Writes the FADT's reset register. Returns -1 if there is none, or if nothing came of it. */
int pm1_reset(void);

#endif
