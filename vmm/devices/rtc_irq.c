/*
 * Interrupts of the RTC: the line, what of the flags drives it, and the event timer.
 */
#include "rtc_parts.h"

void rtc_enter(struct rtc *rtc)
{
	if (rtc->lock_free)
		pthread_mutex_lock(&rtc->own);
}

void rtc_leave(struct rtc *rtc)
{
	if (rtc->lock_free)
		pthread_mutex_unlock(&rtc->own);
}

/*
 * The one place that drives the line high, after each change of flags or enables, without
 * the lock. Of two threads here the later has the last word, as each looks again.
 */
void rtc_drive(const struct rtc *rtc)
{
	bool level;

	do {
		level = rtc_requested(rtc);
		irq_line_set(rtc->wiring.irq, level);
	} while (level != (rtc_requested(rtc) != 0));
}

/*
 * Register C was read: the line falls, even if an event has set a flag anew since and
 * another thread has driven it high. It was high already, which made no edge; unless it
 * falls first, the guest waits for an interrupt that was never sent.
 */
void rtc_fall(const struct rtc *rtc)
{
	irq_line_set(rtc->wiring.irq, false);
	rtc_drive(rtc);
}

void rtc_leave_and_tell(struct rtc *rtc)
{
	uint8_t risen = rtc->risen & rtc_enables(rtc);

	rtc->risen = 0;
	rtc_leave(rtc);
	if (!risen)
		return;
	rtc_drive(rtc);
	if ((risen & C_AF) && rtc->wiring.alarm)
		rtc->wiring.alarm(rtc->wiring.opaque);
}

/* Moves on to now. Lock held. */
void rtc_catch_up(struct rtc *rtc, uint64_t now_ns)
{
	rtc_time_catch_up(rtc, now_ns);
	rtc_ticks_catch_up(rtc, now_ns);
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* The next event that raises an interrupt, if those flags are up. */
uint64_t rtc_wanted_ns(const struct rtc *rtc, uint8_t flags)
{
	uint8_t waiting = rtc_enables(rtc) & ~flags;
	uint64_t at_ns = EVENT_NEVER;

	if (waiting & C_PF)
		at_ns = earlier(at_ns, atomic_load(&rtc->next_tick_ns));
	if ((waiting & C_UF) && !rtc_stopped(rtc))
		at_ns = earlier(at_ns, atomic_load(&rtc->next_update_ns));
	if (waiting & C_AF)
		at_ns = earlier(at_ns, atomic_load(&rtc->next_alarm_ns));
	return at_ns;
}

/*
 * Arms the timer. `up`: flags that the guest has not read for so long that their next
 * event can wait until it does; it may be doing so right now. Lock held.
 */
void rtc_arm(struct rtc *rtc, uint8_t up)
{
	uint64_t at_ns, armed_ns = atomic_load(&rtc->armed_ns);

	do {
		up &= atomic_load(&rtc->state.flags);
		at_ns = rtc_wanted_ns(rtc, up);
		atomic_store(&rtc->armed_ns, at_ns);
	} while (up & ~atomic_load(&rtc->state.flags));
	if (at_ns != armed_ns)
		event_timer_arm(rtc->wiring.timer, at_ns);
}

/* The next tick's timer is armed here, not when the guest has read: it then has no lock to take. */
void rtc_event(void *opaque)
{
	struct rtc *rtc = opaque;
	uint8_t unread;

	rtc_enter(rtc);
	unread = atomic_load(&rtc->state.flags);
	rtc_catch_up(rtc, vclock_now_ns(rtc->wiring.clock));
	atomic_store(&rtc->armed_ns, EVENT_NEVER); /* it went off */
	rtc_arm(rtc, unread);
	rtc_leave_and_tell(rtc);
}

void rtc_move_on(struct rtc *rtc, uint64_t now_ns)
{
	rtc_enter(rtc);
	rtc_catch_up(rtc, now_ns);
	rtc_leave_and_tell(rtc);
}
