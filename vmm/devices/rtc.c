/* MC146818A as the guest sees it: ports, registers, flags and the interrupt. See rtc.h. */
#include <string.h>

#include "../mutant.h"
#include "rtc_parts.h"

#define NMI_MASK       0x80   /* not the chip's: the board's, on the index port */
#define BEHIND_CMOS    0xee   /* what mutant rtc_index_raced finds there */
#define RACE_NS	       100000 /* for how long it is open */
#define FORGETS_ONE_OF 64     /* of mutant rtc_index_deferred */

enum { PORT_INDEX = 0, PORT_DATA = 1 };

static uint8_t read_time(struct rtc *rtc, unsigned index)
{
	uint64_t now_ns = vclock_now_ns(rtc->wiring.clock);

	if (now_ns >= atomic_load_explicit(&rtc->next_update_ns, memory_order_acquire))
		rtc_move_on(rtc, now_ns);
	return rtc_byte(rtc, index);
}

static void restart_series(struct rtc *rtc, uint64_t now_ns)
{
	rtc_enter(rtc);
	rtc_ticks_restart(rtc, now_ns);
	rtc_leave(rtc);
}

/* Reading clears all flags; the line falls, and may rise at once for a tick that is owed. */
static uint8_t read_c(struct rtc *rtc)
{
	uint64_t now_ns = vclock_now_ns(rtc->wiring.clock);
	uint8_t flags, requested;

	if (now_ns >= atomic_load(&rtc->next_tick_ns) ||
	    now_ns >= atomic_load(&rtc->next_update_ns))
		rtc_move_on(rtc, now_ns);
	flags = atomic_exchange(&rtc->state.flags, 0);
	requested = flags & rtc_enables(rtc);
	if (MUTANT(rtc_c_restarts))
		restart_series(rtc, now_ns);
	if (requested)
		rtc_fall(rtc);
	if (flags & C_PF)
		rtc_ticks_taken(rtc);
	if (rtc_wanted_ns(rtc, 0) < atomic_load(&rtc->armed_ns)) {
		rtc_enter(rtc);
		rtc_arm(rtc, atomic_load(&rtc->state.flags));
		rtc_leave(rtc);
	}
	return flags | (requested ? C_IRQF : 0);
}

static uint8_t read_register(struct rtc *rtc, unsigned index)
{
	switch (index) {
	case REG_A:
		return rtc_byte(rtc, REG_A) |
		       (rtc_updating(rtc, vclock_now_ns(rtc->wiring.clock)) ? A_UIP : 0);
	case REG_C:
		return read_c(rtc);
	case REG_SECONDS:
	case REG_MINUTES:
	case REG_HOURS:
	case REG_WEEKDAY:
	case REG_DAY:
	case REG_MONTH:
	case REG_YEAR:
	case REG_CENTURY:
		return read_time(rtc, index);
	default:
		return rtc_byte(rtc, index);
	}
}

/* Of mutant rtc_index_raced: between its check and its use, the time of some exits. */
static void let_others_write(const struct rtc *rtc)
{
	uint64_t until_ns = vclock_now_ns(rtc->wiring.clock) + RACE_NS;

	while (vclock_now_ns(rtc->wiring.clock) < until_ns)
		;
}

static uint64_t rtc_read(void *state, struct bus_access access)
{
	struct rtc *rtc = state;
	uint8_t index = atomic_load_explicit(&rtc->state.index, memory_order_relaxed);

	if (access.offset == PORT_INDEX)
		return UINT64_MAX; /* write only */
	if (MUTANT(rtc_index_raced) && index < RTC_CMOS_BYTES) {
		let_others_write(rtc);
		index = atomic_load(&rtc->state.index);
		if (index >= RTC_CMOS_BYTES)
			return BEHIND_CMOS;
	}
	return read_register(rtc, index % RTC_CMOS_BYTES);
}

/* ---- writes ---- */

static void write_a(struct rtc *rtc, uint8_t value, uint64_t now_ns)
{
	bool was_reset = rtc_divider_reset(rtc);

	value &= (uint8_t)~A_UIP;
	if (MUTANT(rtc_reload_on_a))
		rtc_time_reload(rtc);
	if (!was_reset) {
		rtc_ticks_change_rate(rtc, value, now_ns);
		rtc_ticks_schedule(rtc);
	} else {
		rtc_set_byte(rtc, REG_A, value);
		if (!rtc_divider_reset(rtc)) {
			rtc_time_divider_released(rtc, now_ns);
			rtc_ticks_restart(rtc, now_ns);
		}
	}
	rtc_time_schedule(rtc);
}

static void write_b(struct rtc *rtc, uint8_t value)
{
	uint8_t before = rtc_byte(rtc, REG_B);

	if (value & B_SET)
		value &= (uint8_t)~B_UIE;
	if ((value ^ before) & B_PIE)
		rtc_ticks_enable(rtc, value & B_PIE);
	rtc_time_reformat(rtc, value);
	rtc_time_schedule(rtc);
	if (!MUTANT(rtc_b_not_looked_at)) /* a flag may be up before it is enabled */
		rtc->risen |= atomic_load(&rtc->state.flags) & value & (uint8_t)~before;
}

static void write_register(struct rtc *rtc, unsigned index, uint8_t value)
{
	uint64_t now_ns = vclock_now_ns(rtc->wiring.clock);

	rtc_catch_up(rtc, now_ns);
	switch (index) {
	case REG_A:
		write_a(rtc, value, now_ns);
		break;
	case REG_B:
		write_b(rtc, value);
		break;
	case REG_C:
	case REG_D:
		break; /* read only */
	default:
		rtc_set_byte(rtc, index, value);
		if (index < REG_A || index == REG_CENTURY)
			rtc_time_schedule(rtc);
	}
	rtc_arm(rtc, atomic_load(&rtc->state.flags));
}

static void write_data(struct rtc *rtc, uint8_t value)
{
	unsigned index = atomic_load_explicit(&rtc->state.index, memory_order_relaxed);

	rtc_enter(rtc);
	write_register(rtc, index % RTC_CMOS_BYTES, value);
	rtc_leave_and_tell(rtc);
	if (index == REG_B && !MUTANT(rtc_b_not_looked_at))
		rtc_drive(rtc); /* it may have fallen, too */
}

static void write_index(struct rtc *rtc, uint8_t value)
{
	static atomic_uint writes;

	if (MUTANT(rtc_index_deferred) && ++writes % FORGETS_ONE_OF == 0)
		return;
	if (!MUTANT(rtc_index_raced))
		value &= (uint8_t)~NMI_MASK;
	atomic_store_explicit(&rtc->state.index, value, memory_order_relaxed);
}

static void rtc_write(void *state, struct bus_access access, uint64_t value)
{
	if (access.offset == PORT_INDEX)
		write_index(state, (uint8_t)value);
	else
		write_data(state, (uint8_t)value);
}

/* ---- the machine's side ---- */

void rtc_step(struct rtc *rtc, int64_t step_ns)
{
	uint64_t now_ns = vclock_now_ns(rtc->wiring.clock);

	rtc_enter(rtc);
	rtc_catch_up(rtc, now_ns);
	rtc_time_step(rtc, now_ns, step_ns);
	rtc_arm(rtc, atomic_load(&rtc->state.flags));
	rtc_leave_and_tell(rtc);
}

struct rtc_ticks rtc_ticks(struct rtc *rtc)
{
	const struct rtc_state *s = &rtc->state;
	struct rtc_ticks ticks;

	rtc_enter(rtc);
	rtc_catch_up(rtc, vclock_now_ns(rtc->wiring.clock));
	ticks = (struct rtc_ticks){
		.due = s->due,
		.delivered = atomic_load(&s->delivered),
		.owed = s->owed + (atomic_load(&s->flags) & rtc_enables(rtc) & C_PF ? 1 : 0),
		.dropped = s->dropped,
	};
	rtc_leave_and_tell(rtc);
	return ticks;
}

struct rtc_state rtc_save(struct rtc *rtc)
{
	struct rtc_state state;

	rtc_enter(rtc);
	state = rtc->state;
	rtc_leave(rtc);
	return state;
}

void rtc_load(struct rtc *rtc, const struct rtc_state *state)
{
	rtc_enter(rtc);
	rtc->state = *state;
	rtc_time_schedule(rtc);
	rtc_ticks_schedule(rtc);
	rtc_arm(rtc, atomic_load(&rtc->state.flags));
	rtc_leave(rtc);
	rtc_drive(rtc);
}

void rtc_init(struct rtc *rtc, const struct rtc_config *config, const struct rtc_wiring *wiring)
{
	memset(rtc, 0, sizeof(*rtc));
	pthread_mutex_init(&rtc->own, NULL);
	rtc->config = *config;
	rtc->wiring = *wiring;
	rtc_set_byte(rtc, REG_A, A_POWER_ON);
	rtc_set_byte(rtc, REG_B, B_24_HOURS);
	rtc_set_byte(rtc, REG_D, D_VALID);
	atomic_init(&rtc->armed_ns, EVENT_NEVER);
	rtc_time_init(rtc);
	rtc_ticks_schedule(rtc);
}

struct bus_region rtc_region(struct rtc *rtc, uint16_t base, pthread_mutex_t *lock)
{
	rtc->lock_free = !lock;
	return (struct bus_region){
		.name = "rtc",
		.base = base,
		.length = RTC_PORTS,
		.sizes = 1,
		.read = rtc_read,
		.write = rtc_write,
		.state = rtc,
		.lock = lock,
	};
}
