/*
 * Periodic ticks of the RTC (MC146818A data sheet, "Periodic interrupt selection"): one
 * series, in whole cycles of the oscillator, whatever is written to the rate.
 */
#include "../mutant.h"
#include "rtc_parts.h"

/* Cycles of the oscillator between two ticks, as a power of 2; -1: there are none. */
static int period_shift(const struct rtc *rtc)
{
	unsigned rate = rtc_byte(rtc, REG_A) & A_RATE;

	if (!rate || rtc_divider_reset(rtc))
		return -1;
	return (int)(rate <= 2 ? rate + 6 : rate - 1);
}

static uint64_t cycle_at(const struct rtc *rtc, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - rtc->state.divider_ns;

	return since_ns / NS_PER_S * OSCILLATOR_HZ + since_ns % NS_PER_S * OSCILLATOR_HZ / NS_PER_S;
}

/* The first ns of a cycle. */
static uint64_t cycle_begin_ns(const struct rtc *rtc, uint64_t cycle)
{
	uint64_t part = cycle % OSCILLATOR_HZ;

	return rtc->state.divider_ns + cycle / OSCILLATOR_HZ * NS_PER_S +
	       (part * NS_PER_S + OSCILLATOR_HZ - 1) / OSCILLATOR_HZ;
}

void rtc_ticks_schedule(struct rtc *rtc)
{
	const struct rtc_state *s = &rtc->state;
	int shift = period_shift(rtc);
	uint64_t at_ns = EVENT_NEVER;

	if (shift >= 0)
		at_ns = cycle_begin_ns(rtc, s->tick_base + ((s->ticks + 1) << shift));
	atomic_store(&rtc->next_tick_ns, at_ns);
}

/*
 * More ticks of the series are due. The first sets PF, if it is not set; the others are
 * owed if `keep`, as far as there is room, or merge into it.
 */
static void add(struct rtc *rtc, uint64_t count, bool keep)
{
	struct rtc_state *s = &rtc->state;
	bool enabled = rtc_byte(rtc, REG_B) & B_PIE;
	uint64_t extra, owed, room = RTC_OWED_MAX - s->owed;

	if (!count || (MUTANT(rtc_pf_needs_pie) && !enabled))
		return;
	s->redelivered = 0;
	extra = count - (rtc_set_flags(rtc, C_PF) != 0);
	if (!enabled)
		return;
	owed = !keep ? 0 : extra < room ? extra : room;
	s->due += count;
	s->dropped += extra - owed;
	atomic_fetch_add(&s->owed, (uint32_t)owed);
}

void rtc_ticks_catch_up(struct rtc *rtc, uint64_t now_ns)
{
	struct rtc_state *s = &rtc->state;
	int shift = period_shift(rtc);
	uint64_t ticks;

	if (now_ns < atomic_load(&rtc->next_tick_ns) || shift < 0)
		return;
	ticks = (cycle_at(rtc, now_ns) - s->tick_base) >> shift;
	add(rtc, ticks - s->ticks, rtc->config.driftfix == RTC_DRIFTFIX_SLEW);
	s->ticks = ticks;
	rtc_ticks_schedule(rtc);
}

void rtc_ticks_restart(struct rtc *rtc, uint64_t now_ns)
{
	rtc->state.divider_ns = now_ns;
	rtc->state.tick_base = rtc->state.ticks = 0;
	rtc_ticks_schedule(rtc);
}

/*
 * The time since the last tick counts for the new rate. If it holds more than one of its
 * periods, those ticks are owed: merging them would lose time at each change.
 */
void rtc_ticks_change_rate(struct rtc *rtc, uint8_t reg_a, uint64_t now_ns)
{
	struct rtc_state *s = &rtc->state;
	int shift = period_shift(rtc);
	uint64_t now_cycle = cycle_at(rtc, now_ns);

	if ((rtc_byte(rtc, REG_A) & A_RATE) == (reg_a & A_RATE)) {
		rtc_set_byte(rtc, REG_A, reg_a);
		return;
	}
	s->tick_base = shift < 0 || MUTANT(rtc_rate_restarts) ? now_cycle
							      : s->tick_base + (s->ticks << shift);
	rtc_set_byte(rtc, REG_A, reg_a);
	shift = period_shift(rtc);
	s->ticks = shift < 0 ? 0 : (now_cycle - s->tick_base) >> shift;
	add(rtc, s->ticks, true);
	rtc_ticks_schedule(rtc);
}

/* A tick that is pending when PIE is set is due; what is left when it is cleared is not wanted. */
void rtc_ticks_enable(struct rtc *rtc, bool enable)
{
	struct rtc_state *s = &rtc->state;
	unsigned pending = atomic_load(&s->flags) & C_PF ? 1 : 0;

	if (enable)
		s->due += pending;
	else
		s->dropped += pending + atomic_exchange(&s->owed, 0);
}

void rtc_ticks_taken(struct rtc *rtc)
{
	struct rtc_state *s = &rtc->state;

	if (!(rtc_byte(rtc, REG_B) & B_PIE))
		return;
	atomic_fetch_add_explicit(&s->delivered, 1, memory_order_relaxed);
	if (!atomic_load(&s->owed))
		return;
	rtc_enter(rtc);
	if (s->owed && s->redelivered < RTC_REDELIVER_MAX && !(atomic_load(&s->flags) & C_PF)) {
		atomic_fetch_sub(&s->owed, 1);
		s->redelivered++;
		rtc_set_flags(rtc, C_PF);
	}
	rtc_leave_and_tell(rtc);
}
