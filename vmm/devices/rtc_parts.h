/*
 * Between the files of the RTC: rtc.c is what the guest sees, rtc_irq.c the interrupt,
 * rtc_time.c date and time, rtc_alarm.c the alarm, rtc_ticks.c the periodic ticks. Names of
 * registers and bits are the data sheet's. The lock is held in all but the inline functions, and
 * where said.
 */
#ifndef TICKVM_DEVICES_RTC_PARTS_H
#define TICKVM_DEVICES_RTC_PARTS_H

#include "rtc.h"

struct calendar;

#define NS_PER_S      UINT64_C(1000000000)
#define OSCILLATOR_HZ 32768

enum {
	REG_SECONDS = 0x00,
	REG_SECONDS_ALARM = 0x01,
	REG_MINUTES = 0x02,
	REG_MINUTES_ALARM = 0x03,
	REG_HOURS = 0x04,
	REG_HOURS_ALARM = 0x05,
	REG_WEEKDAY = 0x06,
	REG_DAY = 0x07,
	REG_MONTH = 0x08,
	REG_YEAR = 0x09,
	REG_A = 0x0a,
	REG_B = 0x0b,
	REG_C = 0x0c,
	REG_D = 0x0d,
	REG_CENTURY = 0x32,
};

enum {
	A_UIP = 0x80,
	A_DIVIDER_RESET = 0x60, /* DV = 11x */
	A_RATE = 0x0f,
	A_POWER_ON = 0x26, /* 32768 Hz, rate 1024 Hz */
};
enum {
	B_SET = 0x80,
	B_PIE = 0x40,
	B_AIE = 0x20,
	B_UIE = 0x10,
	B_BINARY = 0x04,
	B_24_HOURS = 0x02,
	B_ENABLES = B_PIE | B_AIE | B_UIE,
};
enum {
	C_IRQF = 0x80,
	C_PF = B_PIE,
	C_AF = B_AIE,
	C_UF = B_UIE
}; /* a flag is where its enable is */
enum { D_VALID = 0x80 };
enum { HOURS_PM = 0x80 };

static inline uint8_t rtc_byte(const struct rtc *rtc, unsigned index)
{
	return atomic_load_explicit(&rtc->state.cmos[index], memory_order_relaxed);
}

static inline void rtc_set_byte(struct rtc *rtc, unsigned index, uint8_t value)
{
	atomic_store_explicit(&rtc->state.cmos[index], value, memory_order_relaxed);
}

static inline bool rtc_divider_reset(const struct rtc *rtc)
{
	return (rtc_byte(rtc, REG_A) & A_DIVIDER_RESET) == A_DIVIDER_RESET;
}

/* rtc_time.c */
void rtc_time_init(struct rtc *rtc);
bool rtc_stopped(const struct rtc *rtc);
void rtc_time_catch_up(struct rtc *rtc, uint64_t now_ns);
void rtc_time_schedule(struct rtc *rtc); /* after a change of time, alarm, format or SET */
void rtc_time_divider_released(struct rtc *rtc, uint64_t now_ns);
void rtc_time_step(struct rtc *rtc, uint64_t now_ns, int64_t step_ns);
void rtc_time_reformat(struct rtc *rtc, uint8_t reg_b);	   /* sets the register, keeps the time */
void rtc_time_reload(struct rtc *rtc);			   /* of mutant rtc_reload_on_a */
bool rtc_updating(const struct rtc *rtc, uint64_t now_ns); /* UIP; without the lock */

/* A number in the guest's format, and an hour of 0 to 23. */
uint8_t rtc_encode(const struct rtc *rtc, unsigned n);
uint8_t rtc_encode_hour(const struct rtc *rtc, unsigned hour);

/* rtc_alarm.c: seconds from this time of day to the next match, 1 to a day; 0: none ever. */
unsigned rtc_seconds_to_alarm(const struct rtc *rtc, const struct calendar *c);

/* rtc_ticks.c */
void rtc_ticks_catch_up(struct rtc *rtc, uint64_t now_ns);
void rtc_ticks_schedule(struct rtc *rtc);		  /* after a change of the series */
void rtc_ticks_restart(struct rtc *rtc, uint64_t now_ns); /* the divider chain begins anew */
void rtc_ticks_change_rate(struct rtc *rtc, uint8_t reg_a, uint64_t now_ns); /* sets the register */
void rtc_ticks_enable(struct rtc *rtc, bool enable);			     /* PIE changes */
void rtc_ticks_taken(struct rtc *rtc); /* PF was read: without the lock, takes it if need be */

/* rtc_irq.c; the lock is taken by rtc_enter() where there is none around all. */
void rtc_enter(struct rtc *rtc);
void rtc_leave(struct rtc *rtc);
void rtc_leave_and_tell(struct rtc *rtc); /* what rose meanwhile raises its interrupt */
void rtc_catch_up(struct rtc *rtc, uint64_t now_ns);
void rtc_arm(struct rtc *rtc, uint8_t up);
uint64_t rtc_wanted_ns(const struct rtc *rtc, uint8_t flags);

/* These without the lock. */
void rtc_move_on(struct rtc *rtc, uint64_t now_ns); /* catches up, under it */
void rtc_drive(const struct rtc *rtc);
void rtc_fall(const struct rtc *rtc);

static inline uint8_t rtc_enables(const struct rtc *rtc)
{
	return rtc_byte(rtc, REG_B) & B_ENABLES;
}

/*
 * The one place that sets flags; which of them rose. It takes what this set, not the
 * difference of two looks: register C may be read between those.
 */
static inline uint8_t rtc_set_flags(struct rtc *rtc, uint8_t flags)
{
	uint8_t risen = flags & (uint8_t)~atomic_fetch_or(&rtc->state.flags, flags);

	rtc->risen |= risen;
	return risen;
}

/* The one place that says which interrupts are requested. */
static inline uint8_t rtc_requested(const struct rtc *rtc)
{
	return atomic_load(&rtc->state.flags) & rtc_enables(rtc);
}

#endif
