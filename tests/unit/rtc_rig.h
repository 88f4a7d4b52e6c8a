/*
 * An RTC on a fake clock, and how its tests read and set it.
 */
#ifndef TICKVM_TESTS_RTC_RIG_H
#define TICKVM_TESTS_RTC_RIG_H

#include "fake.h"

#include "vmm/devices/rtc.h"

#define INDEX_PORT 0x70
#define DATA_PORT  0x71
#define DAY_S	   86400

/* 2024-02-28 23:59:58, a Wednesday. */
#define BASE_S INT64_C(1709164798)

enum { SECONDS, MINUTES = 2, HOURS = 4, WEEKDAY = 6, DAY, MONTH, YEAR, REG_A, REG_B, REG_C, REG_D };
enum { CENTURY = 0x32 };
enum { SET = 0x80, BINARY = 0x04, H24 = 0x02 };

struct rig {
	struct fake_clock clock;
	struct fake_bus bus;
	struct fake_line line;
	struct fake_timer timer;
	unsigned alarms; /* that the board was told of */
	struct rtc rtc;
};

static void rig_alarm(void *opaque)
{
	((struct rig *)opaque)->alarms++;
}

static inline void rig_init_with(struct rig *rig, int64_t base_ns, enum rtc_driftfix driftfix)
{
	const struct rtc_config config = {.base_ns = base_ns, .driftfix = driftfix};
	const struct rtc_wiring wiring = {.clock = &rig->clock.vclock,
					  .timer = &rig->timer.timer,
					  .irq = &rig->line.line,
					  .alarm = rig_alarm,
					  .opaque = rig};

	fake_clock_init(&rig->clock);
	fake_bus_init(&rig->bus);
	fake_line_init(&rig->line);
	fake_timer_init(&rig->timer);
	rig->alarms = 0;
	rtc_init(&rig->rtc, &config, &wiring);
	fake_bus_add(&rig->bus, rtc_region(&rig->rtc, INDEX_PORT, NULL));
}

static inline void rig_init(struct rig *rig, int64_t base_ns)
{
	rig_init_with(rig, base_ns, RTC_DRIFTFIX_NONE);
}

/* Moves on to `ns`, with the event timer's calls on the way. */
static inline void run_to(struct rig *rig, uint64_t ns)
{
	while (rig->timer.at_ns <= ns) {
		rig->clock.now_ns = rig->timer.at_ns;
		rig->timer.at_ns = EVENT_NEVER;
		rtc_event(&rig->rtc);
	}
	rig->clock.now_ns = ns;
}

static inline uint8_t get(struct rig *rig, uint8_t index)
{
	write_at(&rig->bus, INDEX_PORT, 1, index);
	return (uint8_t)read_at(&rig->bus, DATA_PORT, 1);
}

static inline void set(struct rig *rig, uint8_t index, uint8_t value)
{
	write_at(&rig->bus, INDEX_PORT, 1, index);
	write_at(&rig->bus, DATA_PORT, 1, value);
}

static inline uint8_t bcd(int n)
{
	return (uint8_t)(n / 10 * 16 + n % 10);
}

/* The eight time bytes, in one number that shows well when it is wrong: CCYYMMDD_WWhhmmss. */
static inline uint64_t now(struct rig *rig)
{
	static const uint8_t order[] = {CENTURY, YEAR,	MONTH,	 DAY,
					WEEKDAY, HOURS, MINUTES, SECONDS};
	uint64_t all = 0;

	for (unsigned i = 0; i < sizeof(order); i++)
		all = all << 8 | get(rig, order[i]);
	return all;
}

static inline void set_to(struct rig *rig, uint64_t all)
{
	static const uint8_t order[] = {SECONDS, MINUTES, HOURS, WEEKDAY,
					DAY,	 MONTH,	  YEAR,	 CENTURY};

	for (unsigned i = 0; i < sizeof(order); i++, all >>= 8)
		set(rig, order[i], (uint8_t)all);
}

#endif
