/*
 * Local APIC: its timer, as raw as the chip has it, and which of its kinds is in use.
 *
 * All timer calls are about the calling CPU's timer. The kernel's sleep arms the
 * same one: an app that uses it attaches its own vector and does not sleep meanwhile.
 */
#ifndef TICKVM_DRIVERS_LAPIC_H
#define TICKVM_DRIVERS_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

bool lapic_present(void);
bool lapic_is_x2apic(void);
bool lapic_has_deadline(void); /* TSC-deadline mode */

/*
 * Whether this CPU's handler of the vector has begun and not yet ended it (SDM vol. 3A
 * § 11.8.4). False in the handler itself where KVM ends an interrupt by delivering it.
 */
bool lapic_in_service(uint8_t vector);

#define LAPIC_DIVIDE_SHIFT_MAX 7 /* the timer divides its clock by 2^0 to 2^7 */

/* `count` ticks of the clock divided by 2^divide_shift, then one interrupt. Count 0 stops. */
int lapic_timer_one_shot(uint32_t count, unsigned divide_shift, uint8_t vector);

/* The same, again and again. -1: no LAPIC, bad shift. */
int lapic_timer_periodic(uint32_t count, unsigned divide_shift, uint8_t vector);

/* One interrupt once the TSC is at or after `tsc`; at once if it is already. -1: no such mode. */
int lapic_timer_deadline(uint64_t tsc, uint8_t vector);

/* Ticks left of a count; 0 in deadline mode. */
uint32_t lapic_timer_left(void);

/* No further interrupt but one that is already pending. */
void lapic_timer_stop(void);

/*
 * The timer's clock before division. The first call may calibrate, which takes
 * some 10 ms and ends what the timer was doing. 0: nothing to calibrate against.
 */
uint32_t lapic_timer_khz(void);

#endif
