/*
 * rtc, test uip (BC-05): register A polled flat out. At the first reading with UIP at 0
 * the second is new and UF is set, and UIP is never set for long: 244 µs before an
 * update, and 2 ms for it on a chip that takes its time. Time bytes that are read within
 * 244 µs of a reading with UIP at 0 are of one time, over midnight, too.
 */
#include <inttypes.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define FALLS_MAX      600
#define STRETCH_MAX_NS 100000000 /* what UEFI firmware waits before it gives up */
#define LEAD_NS	       244141	 /* 8 cycles of 32768 Hz */
#define BEFORE	       0x235959
#define NS_PER_S       UINT64_C(1000000000)
#define PATIENCE       4    /* times the seconds that it should take */
#define LOOKS	       1024 /* polls between two looks at the clock, which costs a poll */
#define SHARE_MAX      50   /* one poll in so many finds UIP set: 2.3 ms of a second, and slack */

static uint32_t stretches_us[FALLS_MAX];

/* Of the last reading with UIP at 0 and the first, so that it is never said to be too long. */
struct watch {
	uint64_t polls, set_polls;
	uint64_t set_ns; /* when UIP was first seen set; 0: it is not */
	unsigned falls, fresh, flagged;
	uint64_t longest_ns;
	uint8_t second; /* the old one, if UIP was still set after it was read */
	bool second_known;
};

static void on_fall(struct watch *watch, uint64_t last_set_ns)
{
	uint8_t second = rtc_register(RTC_SECONDS), flags = rtc_register(RTC_C);
	uint64_t stretch_ns = last_set_ns - watch->set_ns;

	watch->set_ns = 0;
	if (!watch->second_known)
		return;
	watch->fresh += second != watch->second;
	watch->flagged += (flags & RTC_UF) != 0;
	if (stretch_ns > watch->longest_ns)
		watch->longest_ns = stretch_ns;
	stretches_us[watch->falls++] = (uint32_t)(stretch_ns / 1000);
}

static void poll(struct watch *watch, uint64_t *last_set_ns)
{
	bool set = rtc_register(RTC_A) & RTC_A_UIP;

	watch->polls++;
	watch->set_polls += set;
	if (!set && watch->set_ns)
		on_fall(watch, *last_set_ns);
	if (!set)
		return;
	watch->second_known = watch->set_ns != 0;
	if (!watch->second_known)
		watch->second = rtc_register(RTC_SECONDS);
	*last_set_ns = rtc_test_ns();
	if (!watch->set_ns)
		watch->set_ns = *last_set_ns;
}

static void set_before_midnight(void)
{
	rtc_set_register(RTC_B, RTC_B_24_HOURS | RTC_B_SET);
	rtc_set_register(RTC_SECONDS, 0x59);
	rtc_set_register(RTC_MINUTES, 0x59);
	rtc_set_register(RTC_HOURS, 0x23);
	rtc_set_register(RTC_B, RTC_B_24_HOURS);
}

static uint32_t read_time(void)
{
	uint32_t second = rtc_register(RTC_SECONDS), minute = rtc_register(RTC_MINUTES);

	return second | minute << 8 | (uint32_t)rtc_register(RTC_HOURS) << 16;
}

/* Readings that took longer than UIP promises are no reading. */
static void read_over_midnight(void)
{
	static const char *const name = "uip: what is read in its lead is one time";
	uint32_t taken = 0, torn = 0, time = BEFORE;
	uint64_t deadline_ns, start_ns;

	set_before_midnight();
	deadline_ns = rtc_test_ns() + PATIENCE * NS_PER_S;
	while (time == BEFORE && (start_ns = rtc_test_ns()) < deadline_ns) {
		uint32_t read;

		if (rtc_register(RTC_A) & RTC_A_UIP)
			continue;
		read = read_time();
		if (rtc_test_ns() - start_ns > LEAD_NS)
			continue;
		taken++;
		torn += read != BEFORE && read != 0;
		time = read;
	}
	torn += time == BEFORE; /* it never came */
	if (!taken)
		ktap_skip(name, "no three bytes were read within 244 us");
	else
		check_equal(name, torn, 0);
	ktap_note("uip: %" PRIu32 " readings up to midnight", taken);
}

void rtc_uip(const struct rtc_keys *keys)
{
	unsigned wanted = keys->seconds < FALLS_MAX ? (unsigned)keys->seconds : FALLS_MAX;
	struct watch watch = {0};
	uint64_t deadline_ns = rtc_test_ns() + (wanted + 1) * PATIENCE * NS_PER_S;
	uint64_t last_set_ns = 0;

	rtc_register(RTC_C);
	while (watch.falls < wanted && (watch.polls % LOOKS || rtc_test_ns() < deadline_ns))
		poll(&watch, &last_set_ns);
	pair_samples("rtc.uip.stretch", "us", stretches_us, watch.falls, sizeof(*stretches_us));
	check_equal("uip: the second is new and UF set when UIP falls", watch.fresh + watch.flagged,
		    2 * wanted);
	ktap_note("uip: set for at most %" PRIu64 " us at once, bound 100000",
		  watch.longest_ns / 1000);
	ktap_result(watch.longest_ns <= STRETCH_MAX_NS, "uip: never stuck");
	ktap_note("uip: set in %" PRIu64 " of %" PRIu64 " polls, bound one in %d", watch.set_polls,
		  watch.polls, SHARE_MAX);
	ktap_result(watch.set_polls * SHARE_MAX <= watch.polls, "uip: set for 2.3 ms of a second");
	read_over_midnight();
}
