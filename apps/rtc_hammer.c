/*
 * rtc, test hammer (BC-11): all CPUs on the two ports. Unlocked, with random indices, what
 * is read is some register's; locked, with a byte of memory for each CPU, nothing is torn;
 * and with ticks meanwhile, they come.
 */
#include <inttypes.h>
#include <stddef.h>

#include "check.h"
#include "cpus.h"
#include "drivers/rtc.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"
#include "rtc.h"

#define SCRATCH	     0x40 /* a byte for each CPU from here on: CMOS memory that nobody else uses */
#define SCRATCH_FILL 0x5a
#define RATE	     10 /* 64 Hz */

static uint64_t accesses;
static uint32_t illegal[CPUS_MAX], torn[CPUS_MAX];

/* Two digits, or a status register, or memory: all that the chip can give. */
static bool is_legal(uint8_t value)
{
	bool digits = (value & 0x0f) <= 9 && value >> 4 <= 9;
	bool status = (value & 0x7f) == (RTC_A_DIVIDER | 6) ||
		      (value & 0x7f) == (RTC_A_DIVIDER | RATE) || !(value & 0x0f);

	return digits || status || value == SCRATCH_FILL || value == RTC_ALARM_ANY ||
	       value == (RTC_B_24_HOURS | RTC_PF);
}

static void hammer_unlocked(void *argument)
{
	uint32_t random = cpu_index() + 1;

	for (uint64_t i = 0; i < accesses; i++) {
		random = random * 1664525 + 1013904223;
		out8(RTC_INDEX_PORT, (uint8_t)(random >> 24));
		illegal[cpu_index()] += !is_legal(in8(RTC_DATA_PORT));
	}
}

static void hammer_locked(void *argument)
{
	uint8_t index = (uint8_t)(SCRATCH + cpu_index());

	for (uint64_t i = 0; i < accesses; i++) {
		uint8_t value = (uint8_t)(i * 7 + cpu_index());

		rtc_set_register(index, value);
		torn[cpu_index()] += rtc_register(index) != value;
	}
	rtc_set_register(index, SCRATCH_FILL);
}

static uint32_t sum(const uint32_t *counts)
{
	uint32_t total = 0;

	for (unsigned i = 0; i < smp_online(); i++)
		total += counts[i];
	return total;
}

void rtc_hammer(const struct rtc_keys *keys)
{
	static const char *const name = "hammer: ticks come meanwhile";

	accesses = keys->n;
	for (uint8_t index = RTC_D + 1; index < 0x80; index++) {
		if (index != 0x32) /* the century */
			rtc_set_register(index, SCRATCH_FILL);
	}
	rtc_set_rate(RATE);
	cpus_at_once(hammer_unlocked, NULL);
	ktap_note("hammer: %" PRIu64 " accesses on each of %u CPUs", accesses, smp_online());
	check_equal("hammer: what is read unlocked is some register's", sum(illegal), 0);
	if (rtc_irq_begin(&name, 1)) {
		rtc_enable(RTC_PF);
		cpus_at_once(hammer_locked, NULL);
		rtc_wait(RTC_PF, 2);
		ktap_note("hammer: %" PRIu32 " ticks", rtc_ticks_seen);
		rtc_irq_end();
		check_at_least(name, rtc_ticks_seen, 1);
	} else {
		cpus_at_once(hammer_locked, NULL);
	}
	check_equal("hammer: nothing is torn under a lock", sum(torn), 0);
}
