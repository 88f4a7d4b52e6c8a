/* MC146818A: see rtc.h; names of registers and bits as in its data sheet. */
#include "rtc.h"

#include "calendar.h"

#include <string.h>

#define NS_PER_S	UINT64_C(1000000000)
#define OSCILLATOR_HZ	32768
#define UIP_CYCLES	8 /* of the oscillator: UIP rises this long before an update */
#define SECONDS_TO_1970 (INT64_C(719162) * 86400) /* from year 1 */
#define NMI_MASK	0x80 /* not the chip's: the board's, on the index port */

enum { PORT_INDEX = 0, PORT_DATA = 1 };

enum {
	REG_SECONDS = 0x00,
	REG_MINUTES = 0x02,
	REG_HOURS = 0x04,
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
	A_POWER_ON = 0x26,	/* 32768 Hz, rate 1024 Hz */
};
enum { B_SET = 0x80, B_UIE = 0x10, B_BINARY = 0x04, B_24_HOURS = 0x02 };
enum { D_VALID = 0x80 };
enum { HOURS_PM = 0x80 };

static unsigned decode(const struct rtc_state *s, uint8_t byte)
{
	return s->cmos[REG_B] & B_BINARY ? byte : (byte >> 4) * 10u + (byte & 0x0f);
}

static uint8_t encode(const struct rtc_state *s, unsigned n)
{
	return (uint8_t)(s->cmos[REG_B] & B_BINARY ? n : n / 10 << 4 | n % 10);
}

static unsigned decode_hour(const struct rtc_state *s, uint8_t byte)
{
	if (s->cmos[REG_B] & B_24_HOURS)
		return decode(s, byte);
	return decode(s, byte & ~HOURS_PM) % 12 + (byte & HOURS_PM ? 12 : 0);
}

static uint8_t encode_hour(const struct rtc_state *s, unsigned hour)
{
	if (s->cmos[REG_B] & B_24_HOURS)
		return encode(s, hour);
	return encode(s, (hour + 11) % 12 + 1) | (hour >= 12 ? HOURS_PM : 0);
}

static struct calendar load_time(const struct rtc_state *s)
{
	return (struct calendar){
		.second = decode(s, s->cmos[REG_SECONDS]),
		.minute = decode(s, s->cmos[REG_MINUTES]),
		.hour = decode_hour(s, s->cmos[REG_HOURS]),
		.weekday = decode(s, s->cmos[REG_WEEKDAY]),
		.day = decode(s, s->cmos[REG_DAY]),
		.month = decode(s, s->cmos[REG_MONTH]),
		.year = decode(s, s->cmos[REG_CENTURY]) * 100 + decode(s, s->cmos[REG_YEAR]),
	};
}

static void store_time(struct rtc_state *s, const struct calendar *c)
{
	s->cmos[REG_SECONDS] = encode(s, c->second);
	s->cmos[REG_MINUTES] = encode(s, c->minute);
	s->cmos[REG_HOURS] = encode_hour(s, c->hour);
	s->cmos[REG_WEEKDAY] = encode(s, c->weekday);
	s->cmos[REG_DAY] = encode(s, c->day);
	s->cmos[REG_MONTH] = encode(s, c->month);
	s->cmos[REG_YEAR] = encode(s, c->year % 100);
	s->cmos[REG_CENTURY] = encode(s, c->year / 100 % 100);
}

static bool divider_reset(uint8_t reg_a)
{
	return (reg_a & A_DIVIDER_RESET) == A_DIVIDER_RESET;
}

static bool stopped(const struct rtc_state *s)
{
	return (s->cmos[REG_B] & B_SET) || divider_reset(s->cmos[REG_A]);
}

/* Position between two update cycles: ns since the last. */
static uint64_t fraction_ns(const struct rtc *rtc, uint64_t now_ns)
{
	return (now_ns % NS_PER_S + rtc->state.phase_ns) % NS_PER_S;
}

/* Update cycles from virtual time 0 to now. */
static uint64_t update_count(const struct rtc *rtc, uint64_t now_ns)
{
	return now_ns / NS_PER_S + (now_ns % NS_PER_S + rtc->state.phase_ns) / NS_PER_S;
}

/* Makes the time bytes right as of now; while stopped, they are as they are. */
static void catch_up(struct rtc *rtc, uint64_t now_ns)
{
	uint64_t updates = update_count(rtc, now_ns);
	uint64_t missed = updates - rtc->state.updates;
	struct calendar c;

	rtc->state.updates = updates;
	if (!missed || stopped(&rtc->state))
		return;
	c = load_time(&rtc->state);
	calendar_advance(&c, missed);
	store_time(&rtc->state, &c);
}

static uint8_t read_a(const struct rtc *rtc, uint64_t now_ns)
{
	uint64_t left_ns = NS_PER_S - fraction_ns(rtc, now_ns);
	bool updating = !stopped(&rtc->state) && left_ns * OSCILLATOR_HZ <= UIP_CYCLES * NS_PER_S;

	return rtc->state.cmos[REG_A] | (updating ? A_UIP : 0);
}

/* A divider that leaves reset makes its first update half a second later. */
static void write_a(struct rtc *rtc, uint8_t value, uint64_t now_ns)
{
	struct rtc_state *s = &rtc->state;

	if (divider_reset(s->cmos[REG_A]) && !divider_reset(value)) {
		s->phase_ns = (uint32_t)((NS_PER_S + NS_PER_S / 2 - now_ns % NS_PER_S) % NS_PER_S);
		s->updates = update_count(rtc, now_ns);
	}
	s->cmos[REG_A] = value & ~A_UIP;
}

/*
 * A running clock keeps its time when the format changes (the chip leaves the bytes
 * as they are, which then mean something else); bytes written under SET are the guest's.
 */
static void write_b(struct rtc_state *s, uint8_t value)
{
	struct calendar c = load_time(s);
	bool convert = !stopped(s) && ((value ^ s->cmos[REG_B]) & (B_BINARY | B_24_HOURS));

	s->cmos[REG_B] = value & B_SET ? value & ~B_UIE : value;
	if (convert)
		store_time(s, &c);
}

static uint64_t rtc_read(void *state, struct bus_access access)
{
	struct rtc *rtc = state;
	uint64_t now_ns;

	if (access.offset == PORT_INDEX)
		return UINT64_MAX; /* write only */
	now_ns = vclock_now_ns(rtc->clock);
	catch_up(rtc, now_ns);
	if (rtc->state.index == REG_A)
		return read_a(rtc, now_ns);
	return rtc->state.cmos[rtc->state.index];
}

static void write_data(struct rtc *rtc, uint8_t value)
{
	uint64_t now_ns = vclock_now_ns(rtc->clock);

	catch_up(rtc, now_ns);
	switch (rtc->state.index) {
	case REG_A:
		write_a(rtc, value, now_ns);
		break;
	case REG_B:
		write_b(&rtc->state, value);
		break;
	case REG_C:
	case REG_D:
		break; /* read only */
	default:
		rtc->state.cmos[rtc->state.index] = value;
	}
}

static void rtc_write(void *state, struct bus_access access, uint64_t value)
{
	struct rtc *rtc = state;

	if (access.offset == PORT_INDEX)
		rtc->state.index = (uint8_t)value & ~NMI_MASK;
	else
		write_data(rtc, (uint8_t)value);
}

void rtc_init(struct rtc *rtc, const struct vclock *clock, int64_t base_ns)
{
	int64_t rest_ns = base_ns % (int64_t)NS_PER_S;
	int64_t seconds = base_ns / (int64_t)NS_PER_S + SECONDS_TO_1970;
	struct calendar c = {.weekday = 2, .day = 1, .month = 1, .year = 1}; /* a Monday */

	if (rest_ns < 0) {
		rest_ns += (int64_t)NS_PER_S;
		seconds--;
	}
	memset(&rtc->state, 0, sizeof(rtc->state));
	rtc->clock = clock;
	rtc->state.phase_ns = (uint32_t)rest_ns;
	rtc->state.cmos[REG_A] = A_POWER_ON;
	rtc->state.cmos[REG_B] = B_24_HOURS;
	rtc->state.cmos[REG_D] = D_VALID;
	calendar_advance(&c, (uint64_t)seconds);
	store_time(&rtc->state, &c);
}

struct bus_region rtc_region(struct rtc *rtc, uint16_t base, pthread_mutex_t *lock)
{
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
