/*
 * Date and time of the RTC (MC146818A data sheet, "Time, calendar and alarm locations",
 * "Update cycle"): bytes in the guest's format, and which update is next.
 */
#include "../mutant.h"
#include "calendar.h"
#include "rtc_parts.h"

#define UIP_CYCLES	8 /* of the oscillator: UIP rises this long before an update */
#define SECONDS_TO_1970 (INT64_C(719162) * 86400) /* from year 1 */

#define LATE_NS 300000000 /* of mutant rtc_uip_by_timer */
#define LAG_NS	300000	  /* of mutant rtc_uip_first */

static bool is_binary(const struct rtc *rtc)
{
	return rtc_byte(rtc, REG_B) & B_BINARY;
}

static unsigned decode(const struct rtc *rtc, uint8_t byte)
{
	return is_binary(rtc) ? byte : (byte >> 4) * 10u + (byte & 0x0f);
}

uint8_t rtc_encode(const struct rtc *rtc, unsigned n)
{
	return (uint8_t)(is_binary(rtc) ? n : n / 10 << 4 | n % 10);
}

static unsigned decode_hour(const struct rtc *rtc, uint8_t byte)
{
	if (rtc_byte(rtc, REG_B) & B_24_HOURS)
		return decode(rtc, byte);
	return decode(rtc, byte & ~HOURS_PM) % 12 + (byte & HOURS_PM ? 12 : 0);
}

uint8_t rtc_encode_hour(const struct rtc *rtc, unsigned hour)
{
	if (rtc_byte(rtc, REG_B) & B_24_HOURS)
		return rtc_encode(rtc, hour);
	if (MUTANT(rtc_hour_zero))
		return rtc_encode(rtc, hour % 12) | (hour >= 12 ? HOURS_PM : 0);
	return rtc_encode(rtc, (hour + 11) % 12 + 1) | (hour >= 12 ? HOURS_PM : 0);
}

static struct calendar load_time(const struct rtc *rtc)
{
	return (struct calendar){
		.second = decode(rtc, rtc_byte(rtc, REG_SECONDS)),
		.minute = decode(rtc, rtc_byte(rtc, REG_MINUTES)),
		.hour = decode_hour(rtc, rtc_byte(rtc, REG_HOURS)),
		.weekday = decode(rtc, rtc_byte(rtc, REG_WEEKDAY)),
		.day = decode(rtc, rtc_byte(rtc, REG_DAY)),
		.month = decode(rtc, rtc_byte(rtc, REG_MONTH)),
		.year = decode(rtc, rtc_byte(rtc, REG_CENTURY)) * 100 +
			decode(rtc, rtc_byte(rtc, REG_YEAR)),
	};
}

static void store_time(struct rtc *rtc, const struct calendar *c)
{
	rtc_set_byte(rtc, REG_SECONDS, rtc_encode(rtc, c->second));
	rtc_set_byte(rtc, REG_MINUTES, rtc_encode(rtc, c->minute));
	rtc_set_byte(rtc, REG_HOURS, rtc_encode_hour(rtc, c->hour));
	rtc_set_byte(rtc, REG_WEEKDAY, rtc_encode(rtc, c->weekday));
	rtc_set_byte(rtc, REG_DAY, rtc_encode(rtc, c->day));
	rtc_set_byte(rtc, REG_MONTH, rtc_encode(rtc, c->month));
	rtc_set_byte(rtc, REG_YEAR, rtc_encode(rtc, c->year % 100));
	rtc_set_byte(rtc, REG_CENTURY, rtc_encode(rtc, c->year / 100 % 100));
}

bool rtc_stopped(const struct rtc *rtc)
{
	bool set = (rtc_byte(rtc, REG_B) & B_SET) && !MUTANT(rtc_set_ignored);

	return set || rtc_divider_reset(rtc);
}

static uint32_t phase_ns(const struct rtc *rtc)
{
	return atomic_load_explicit(&rtc->state.phase_ns, memory_order_relaxed);
}

/* Update cycles from virtual time 0 to now. */
static uint64_t update_count(const struct rtc *rtc, uint64_t now_ns)
{
	if (MUTANT(rtc_uip_first))
		now_ns = now_ns > LAG_NS ? now_ns - LAG_NS : 0;
	return now_ns / NS_PER_S + (now_ns % NS_PER_S + phase_ns(rtc)) / NS_PER_S;
}

/* When the count becomes `update`; EVENT_NEVER: not in 64 bits. */
static uint64_t update_begin_ns(const struct rtc *rtc, uint64_t update)
{
	if (update > UINT64_MAX / NS_PER_S)
		return EVENT_NEVER;
	return update * NS_PER_S - phase_ns(rtc);
}

bool rtc_updating(const struct rtc *rtc, uint64_t now_ns)
{
	uint64_t fraction_ns = (now_ns % NS_PER_S + phase_ns(rtc)) % NS_PER_S;
	uint64_t left_ns = NS_PER_S - fraction_ns;

	if (rtc_stopped(rtc))
		return false;
	if (MUTANT(rtc_uip_by_timer) && fraction_ns < LATE_NS)
		return true;
	return left_ns * OSCILLATOR_HZ <= UIP_CYCLES * NS_PER_S;
}

/* ---- what is next ---- */

/* A time of day that there is not becomes one at the next update, and is looked at then. */
static uint64_t next_alarm_update(const struct rtc *rtc)
{
	struct calendar c = load_time(rtc);
	unsigned seconds;

	if (c.hour >= 24 || c.minute >= 60 || c.second >= 60)
		return UINT64_MAX;
	seconds = rtc_seconds_to_alarm(rtc, &c);
	return seconds ? rtc->state.updates + seconds : UINT64_MAX;
}

void rtc_time_schedule(struct rtc *rtc)
{
	bool stopped = rtc_stopped(rtc);
	uint64_t alarm = stopped ? UINT64_MAX : next_alarm_update(rtc);

	rtc->state.alarm_update = alarm;
	atomic_store(&rtc->next_alarm_ns, update_begin_ns(rtc, alarm));
	atomic_store(&rtc->next_update_ns, update_begin_ns(rtc, rtc->state.updates + 1));
}

/* ---- updates ---- */

/* While stopped, the bytes are as they are. */
void rtc_time_catch_up(struct rtc *rtc, uint64_t now_ns)
{
	struct rtc_state *s = &rtc->state;
	uint64_t updates = update_count(rtc, now_ns), missed = updates - s->updates;
	struct calendar c;

	if (!missed)
		return;
	s->updates = updates;
	if (!rtc_stopped(rtc)) {
		c = load_time(rtc);
		calendar_advance(&c, missed);
		store_time(rtc, &c);
		rtc_set_flags(rtc, s->alarm_update <= updates ? C_UF | C_AF : C_UF);
	}
	if (s->alarm_update > updates && s->alarm_update != UINT64_MAX)
		atomic_store(&rtc->next_update_ns, update_begin_ns(rtc, updates + 1));
	else
		rtc_time_schedule(rtc);
}

/* A divider that leaves reset makes its first update half a second later. */
void rtc_time_divider_released(struct rtc *rtc, uint64_t now_ns)
{
	uint64_t phase = NS_PER_S + NS_PER_S / 2 - now_ns % NS_PER_S;

	atomic_store_explicit(&rtc->state.phase_ns, (uint32_t)(phase % NS_PER_S),
			      memory_order_relaxed);
	rtc->state.updates = update_count(rtc, now_ns);
}

void rtc_time_reformat(struct rtc *rtc, uint8_t reg_b)
{
	bool convert = !rtc_stopped(rtc) &&
		       ((reg_b ^ rtc_byte(rtc, REG_B)) & (B_BINARY | B_24_HOURS));
	struct calendar c = load_time(rtc);

	rtc_set_byte(rtc, REG_B, reg_b);
	if (convert)
		store_time(rtc, &c);
}

/* Whole seconds below and the rest, never negative, of a time in ns. */
static int64_t split(int64_t ns, uint32_t *rest_ns)
{
	int64_t seconds = ns / (int64_t)NS_PER_S, rest = ns % (int64_t)NS_PER_S;

	if (rest < 0) {
		rest += (int64_t)NS_PER_S;
		seconds--;
	}
	*rest_ns = (uint32_t)rest;
	return seconds;
}

/* From year 1 on; a date before it is the first there is. */
static void set_seconds(struct rtc *rtc, int64_t since_1970)
{
	struct calendar c = {.weekday = 2, .day = 1, .month = 1, .year = 1}; /* a Monday */
	int64_t seconds = since_1970 + SECONDS_TO_1970;

	calendar_advance(&c, seconds > 0 ? (uint64_t)seconds : 0);
	store_time(rtc, &c);
}

/* What is not moved is what the guest stopped. */
void rtc_time_step(struct rtc *rtc, uint64_t now_ns, int64_t step_ns)
{
	struct calendar c = load_time(rtc);
	uint32_t rest_ns;
	int64_t seconds = split(step_ns, &rest_ns);

	rest_ns += phase_ns(rtc);
	seconds += rest_ns >= NS_PER_S;
	seconds += (int64_t)(now_ns % NS_PER_S + rest_ns % NS_PER_S) / (int64_t)NS_PER_S -
		   (int64_t)(now_ns % NS_PER_S + phase_ns(rtc)) / (int64_t)NS_PER_S;
	atomic_store_explicit(&rtc->state.phase_ns, rest_ns % NS_PER_S, memory_order_relaxed);
	rtc->state.updates = update_count(rtc, now_ns);
	if (!rtc_stopped(rtc))
		set_seconds(rtc, calendar_seconds(&c) - SECONDS_TO_1970 + seconds);
	rtc_time_schedule(rtc);
}

void rtc_time_reload(struct rtc *rtc)
{
	uint32_t rest_ns;
	int64_t seconds = split(rtc->config.base_ns, &rest_ns);

	set_seconds(rtc, seconds + (int64_t)rtc->state.updates);
}

void rtc_time_init(struct rtc *rtc)
{
	uint32_t rest_ns;
	int64_t seconds = split(rtc->config.base_ns, &rest_ns);

	rtc->state.phase_ns = rest_ns;
	set_seconds(rtc, seconds);
	rtc_time_schedule(rtc);
}
