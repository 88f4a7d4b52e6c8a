/*
 * rtc, test uip (BC-05): register A polled flat out. At the first reading with UIP at 0
 * the second is new and UF is set, and UIP is never set for long: 244 µs before an
 * update, and 2 ms for it on a chip that takes its time.
 */
#include <inttypes.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define FALLS_MAX      600
#define STRETCH_MAX_NS 100000000 /* what UEFI firmware waits before it gives up */
#define POLLS_MAX      20000000
#define SHARE_MAX                                                                      \
	50 /* at most one poll in so many finds UIP set: 2.3 ms of a second, and slack \
	    */

static uint32_t stretches_us[FALLS_MAX];

/* Of the last reading with UIP at 0 and the first, so that it is never said to be too long. */
struct watch {
	uint64_t polls, set_polls;
	uint64_t set_ns; /* when UIP was first seen set; 0: it is not */
	unsigned falls, fresh, flagged;
	uint64_t longest_ns;
	uint8_t second;
};

static void on_fall(struct watch *watch, uint64_t last_set_ns)
{
	uint8_t second = rtc_register(RTC_SECONDS), flags = rtc_register(RTC_C);
	uint64_t stretch_ns = last_set_ns - watch->set_ns;

	watch->fresh += second != watch->second;
	watch->flagged += (flags & RTC_UF) != 0;
	if (stretch_ns > watch->longest_ns)
		watch->longest_ns = stretch_ns;
	stretches_us[watch->falls++] = (uint32_t)(stretch_ns / 1000);
	watch->set_ns = 0;
	watch->second = second;
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
	*last_set_ns = rtc_test_ns();
	if (!watch->set_ns) {
		watch->set_ns = *last_set_ns;
		watch->second = rtc_register(RTC_SECONDS);
	}
}

void rtc_uip(const struct rtc_keys *keys)
{
	unsigned wanted = keys->seconds < FALLS_MAX ? (unsigned)keys->seconds : FALLS_MAX;
	struct watch watch = {0};
	uint64_t last_set_ns = 0;

	rtc_register(RTC_C);
	while (watch.falls < wanted && watch.polls < POLLS_MAX)
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
}
