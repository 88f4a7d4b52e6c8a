/*
 * Real-time clock and CMOS memory: Motorola MC146818A, with the century in byte
 * 0x32 as the PC has it and 128 bytes in all.
 *
 * Time is derived, never ticked: the ten time bytes are right as of a known update
 * cycle, and catch up with virtual time when they are looked at. SET (register B)
 * or a divider held in reset (register A) stop them as they are. The chip's
 * interrupts are not modelled: the enable bits keep what is written, the flags of
 * register C stay 0.
 */
#ifndef TICKVM_DEVICES_RTC_H
#define TICKVM_DEVICES_RTC_H

#include "bus.h"
#include "clock.h"

#define RTC_PORTS      2
#define RTC_CMOS_BYTES 128

struct rtc_state {
	uint8_t index;
	uint8_t cmos[RTC_CMOS_BYTES]; /* as the guest reads it, but for UIP */
	uint32_t phase_ns; /* below a second; update cycles are where now + phase is whole */
	uint64_t updates;  /* the update cycle as of which the time bytes are right */
};

/* Guarded by the lock that rtc_region() is given: the bus holds it in every access. */
struct rtc {
	struct rtc_state state;
	const struct vclock *clock;
};

/* base_ns: wall clock at virtual time 0, in ns since 1970-01-01 00:00. */
void rtc_init(struct rtc *rtc, const struct vclock *clock, int64_t base_ns);

struct bus_region rtc_region(struct rtc *rtc, uint16_t base, pthread_mutex_t *lock);

#endif
