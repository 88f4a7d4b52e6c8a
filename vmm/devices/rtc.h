/*
 * Real-time clock and CMOS memory: Motorola MC146818A, with the century in byte
 * 0x32 as the PC has it and 128 bytes in all.
 *
 * Time is derived, never ticked: the ten time bytes are right as of a known update
 * cycle, the flags as of a known update and periodic tick, and both catch up with
 * virtual time when they are looked at. The event timer is armed only while an event
 * would raise the interrupt: a guest that enables none costs nothing.
 *
 * Where it departs from the chip:
 *  - An update takes no time: UIP is set for the 244 µs before it, and when it falls the
 *    second is new and UF is set.
 *  - A change of the periodic rate keeps the series of ticks whole (BC-07): the next tick
 *    is one new period after the last old one. The chip's divider taps would cut or
 *    stretch a period at each change.
 *  - A running clock keeps its time when its format changes (the data sheet has the guest
 *    set all bytes anew).
 */
#ifndef TICKVM_DEVICES_RTC_H
#define TICKVM_DEVICES_RTC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "bus.h"
#include "clock.h"
#include "event_timer.h"
#include "line.h"

#define RTC_PORTS      2
#define RTC_CMOS_BYTES 128

/*
 * Ticks owed at most: 16 s at 1024 Hz. What a host's stall loses beyond that is dropped,
 * and counted as such.
 */
#define RTC_OWED_MAX 16384

/* Owed ticks delivered at once, upon reads of register C, before the next tick's own time. */
#define RTC_REDELIVER_MAX 20

enum rtc_driftfix {
	RTC_DRIFTFIX_NONE, /* ticks that come while PF is set merge into one, as on the chip */
	RTC_DRIFTFIX_SLEW, /* they are owed, and delivered as the guest reads register C */
};

struct rtc_config {
	int64_t base_ns; /* wall clock at virtual time 0, in ns since 1970-01-01 00:00 */
	enum rtc_driftfix driftfix;
};

struct rtc_wiring {
	const struct vclock *clock;
	const struct event_timer *timer; /* is to call rtc_event() */
	const struct irq_line *irq;	 /* IRQ 8 */
	void (*alarm)(void *opaque);	 /* the alarm interrupt rose; NULL: nobody asks */
	void *opaque;
};

/* Plain data; which of it is read without the lock is atomic. */
struct rtc_state {
	_Atomic uint8_t index;
	_Atomic uint8_t
		cmos[RTC_CMOS_BYTES]; /* as the guest reads it, but for UIP and register C */
	_Atomic uint8_t flags;	      /* PF, AF and UF that register C has not given yet */

	_Atomic uint32_t
		phase_ns;      /* below a second; update cycles are where now + phase is whole */
	uint64_t updates;      /* the update cycle as of which the time bytes are right */
	uint64_t alarm_update; /* the one that matches the alarm next; UINT64_MAX: none will */

	/* The series of periodic ticks, in cycles of the 32768 Hz oscillator since divider_ns. */
	uint64_t divider_ns;   /* when the divider chain began */
	uint64_t tick_base;    /* cycle of the series' tick 0 */
	uint64_t ticks;	       /* of the series that the flags know of */
	uint64_t due, dropped; /* while PIE is set */
	atomic_uint_fast64_t delivered;
	_Atomic uint32_t owed; /* besides the one that PF stands for */
	uint32_t redelivered;  /* since the last tick */
};

/*
 * Guarded by the lock that rtc_region() is given, which whoever calls anything else here
 * holds, too. With NULL for that lock the chip does without: it takes `own` only to move
 * on to the next update or tick and to change registers. All that a guest reads between
 * those is atomic, so that readers, and the thread that raises the interrupt, do not wait
 * for one another; the line is driven, and the alarm told, with `own` free.
 */
struct rtc {
	struct rtc_state state;
	struct rtc_wiring wiring;
	struct rtc_config config;
	bool lock_free;
	uint8_t risen; /* flags, and enables of flags, that rose since the line was told */
	pthread_mutex_t own;

	/* Derived from the state, virtual ns; EVENT_NEVER. Changed under the lock. */
	atomic_uint_fast64_t next_update_ns, next_tick_ns, next_alarm_ns;
	atomic_uint_fast64_t armed_ns; /* what the event timer is set to */
};

void rtc_init(struct rtc *rtc, const struct rtc_config *config, const struct rtc_wiring *wiring);

/* `lock`: held by the bus in every access; NULL: see struct rtc. */
struct bus_region rtc_region(struct rtc *rtc, uint16_t base, pthread_mutex_t *lock);

/* The moment that the event timer was armed for has come. */
void rtc_event(void *rtc);

/* The wall clock that the chip follows was set: its date and time move, its ticks do not. */
void rtc_step(struct rtc *rtc, int64_t step_ns);

/* Periodic ticks while PIE was set, until now: due = delivered + owed + dropped. */
struct rtc_ticks {
	uint64_t due, delivered, owed, dropped;
};
struct rtc_ticks rtc_ticks(struct rtc *rtc);

/* Pausing and restoring: the state at one virtual time goes on at another rtc's of the same time.
 */
struct rtc_state rtc_save(struct rtc *rtc);
void rtc_load(struct rtc *rtc, const struct rtc_state *state);

#endif
