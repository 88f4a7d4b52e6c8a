/*
 * rtc, test set (BC-06): under SET the ten time bytes keep what was written, whatever is
 * written to register A, no update ends and ticks go on; then the clock runs on from them.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "drivers/rtc.h"
#include "kernel/clock.h"
#include "kernel/ktap.h"
#include "rtc.h"

#define NS_PER_S    UINT64_C(1000000000)
#define SLACK_NS    5000000 /* BC-06: each 1.000 s, 5 ms either way */
#define ROLLOVERS   3
#define PATIENCE_NS (3 * NS_PER_S)
#define TIME_BYTES  10 /* registers 0 to 9 */

/* 1999-12-31 23:59:58, a Friday, and alarm bytes that are no time. */
static const uint8_t written[TIME_BYTES] = {0x58, 0x11, 0x59, 0x22, 0x23,
					    0x03, 0x06, 0x31, 0x12, 0x99};

static bool bytes_are(const uint8_t *bytes)
{
	for (uint8_t i = 0; i < TIME_BYTES; i++) {
		if (rtc_register(i) != bytes[i])
			return false;
	}
	return true;
}

static void hold(uint64_t seconds)
{
	uint64_t until = clock_now_ns() + seconds * NS_PER_S;
	unsigned looks = 0, kept = 0, updating = 0;
	uint8_t flags = 0, reg_a = rtc_register(RTC_A) & (uint8_t)~RTC_A_UIP;

	rtc_set_register(RTC_B, RTC_B_24_HOURS | RTC_UF);
	rtc_set_register(RTC_B, RTC_B_24_HOURS | RTC_UF | RTC_B_SET);
	check_equal("set: SET clears UIE", rtc_register(RTC_B), RTC_B_24_HOURS | RTC_B_SET);
	for (uint8_t i = 0; i < TIME_BYTES; i++)
		rtc_set_register(i, written[i]);
	rtc_register(RTC_C);
	for (; clock_now_ns() < until; looks++) {
		rtc_set_register(RTC_A, reg_a);
		kept += bytes_are(written);
		updating += (rtc_register(RTC_A) & RTC_A_UIP) != 0;
		flags |= rtc_register(RTC_C);
		clock_sleep_until(clock_now_ns() + NS_PER_S / 20);
	}
	check_equal("set: all ten bytes stay as written", kept, looks);
	ktap_note("set: %u looks: UIP set in %u, flags %#x", looks, updating, flags);
	ktap_result(!updating && (flags & (RTC_UF | RTC_PF)) == RTC_PF,
		    "set: no update, and ticks go on");
}

/* When an update ended: between two looks. */
struct bracket {
	uint64_t before_ns, after_ns;
};

static struct bracket next_update(void)
{
	uint64_t deadline_ns = rtc_test_ns() + PATIENCE_NS;
	struct bracket bracket = {rtc_test_ns(), 0};

	for (;;) {
		bool ended = rtc_register(RTC_C) & RTC_UF;

		bracket.after_ns = rtc_test_ns();
		if (ended || bracket.after_ns > deadline_ns)
			return bracket;
		bracket.before_ns = bracket.after_ns;
	}
}

/* Whether a second, give or take the slack, lies between the two, as far as they are known. */
static bool may_be_a_second(const struct bracket *a, const struct bracket *b)
{
	return b->after_ns - a->before_ns + SLACK_NS >= NS_PER_S &&
	       b->before_ns - a->after_ns <= NS_PER_S + SLACK_NS;
}

static void run_on(void)
{
	static const uint8_t seconds[ROLLOVERS] = {0x59, 0x00, 0x01};
	struct bracket updates[ROLLOVERS], released = {rtc_test_ns(), 0};
	unsigned right = 0;

	rtc_register(RTC_C);
	rtc_set_register(RTC_B, RTC_B_24_HOURS);
	released.after_ns = rtc_test_ns();
	for (unsigned i = 0; i < ROLLOVERS; i++) {
		updates[i] = next_update();
		right += rtc_register(RTC_SECONDS) == seconds[i];
		if (i)
			right += may_be_a_second(&updates[i - 1], &updates[i]);
		else
			right += updates[0].before_ns <= released.after_ns + NS_PER_S + SLACK_NS;
	}
	ktap_note("set: first update after %" PRIu64 " us at most",
		  (updates[0].after_ns - released.before_ns) / 1000);
	check_equal("set: then a second each, from there on", right, 2 * ROLLOVERS);
}

/* Right after an update, so that none comes between. */
static void single_field(void)
{
	uint8_t before[TIME_BYTES], after[TIME_BYTES];
	unsigned same = 0;

	next_update();
	for (uint8_t i = 0; i < TIME_BYTES; i++)
		before[i] = rtc_register(i);
	rtc_set_register(RTC_MINUTES, 0x30);
	for (uint8_t i = 0; i < TIME_BYTES; i++)
		after[i] = rtc_register(i);
	for (unsigned i = 0; i < TIME_BYTES; i++)
		same += after[i] == (i == RTC_MINUTES ? 0x30 : before[i]);
	check_equal("set: a write without SET changes its field and no other", same, TIME_BYTES);
}

void rtc_set(const struct rtc_keys *keys)
{
	struct rtc_time time;
	bool known = rtc_read(&time) == 0;

	hold(keys->seconds);
	run_on();
	single_field();
	ktap_note("set: the time before was %s", known ? "a date" : "none");
}
