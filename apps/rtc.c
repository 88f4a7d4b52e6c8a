/*
 * rtc: is the MC146818A right? One test after the other, each in a file of its own:
 *
 *   uip       BC-05: UIP's order and length, polled flat out
 *   set       BC-06: SET keeps what is written; then the clock runs on from it
 *   rate      BC-07: changes of the periodic rate, and late reads of C, lose no time
 *   retarget  BC-08: IRQ 8 goes to another CPU at any moment
 *   format    BC-09: hours and alarms in 12 and 24 hours, BCD and binary
 *   flags     BC-10: flags set while masked, and raise the line when they are enabled
 *   hammer    BC-11: all CPUs on the ports, unlocked and locked
 *   fixed     BC-30: the alarm and the PM timer share the SCI
 *   ticks     1024 Hz against the host's clock
 *   year      daily alarms over the end of years and leap days; for --virtual-time
 *   cost      what reading it costs beside a null port
 */
#include "apps.h"

#include <stddef.h>
#include <string.h>

#include "drivers/rtc.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"
#include "rtc.h"

const struct app_key rtc_keys[] = {
	{"test",
	 "uip set rate retarget format flags hammer fixed ticks year cost, or all (all but year)"},
	{"n", "moves of retarget, accesses of hammer and cost, days of year, 16 to 10000000 (256)"},
	{"seconds", "that uip, set, rate and ticks watch, 1 to 600 (2)"},
	{"hours", "of format: some (0, 11, 12, 23) or all (some)"},
	{NULL, NULL},
};

static const struct test {
	const char *name;
	void (*run)(const struct rtc_keys *keys);
	unsigned results;
	bool by_name_only;
} tests[] = {
	{"uip", rtc_uip, 4, false},	  {"set", rtc_set, 5, false},
	{"rate", rtc_rate, 3, false},	  {"retarget", rtc_retarget, 2, false},
	{"format", rtc_format, 3, false}, {"flags", rtc_flags, 4, false},
	{"hammer", rtc_hammer, 3, false}, {"fixed", rtc_fixed, 3, false},
	{"ticks", rtc_ticks, 2, false},	  {"cost", rtc_cost, 1, false},
	{"year", rtc_year, 2, true},
};
#define TEST_COUNT (sizeof(tests) / sizeof(*tests))

static bool is_chosen(const struct test *test)
{
	const char *choice = app_option("test");

	if (!choice || !strcmp(choice, "all"))
		return !test->by_name_only;
	return !strcmp(choice, test->name);
}

static bool all_hours(void)
{
	const char *hours = app_option("hours");

	if (hours && strcmp(hours, "all") != 0 && strcmp(hours, "some") != 0)
		app_exit(TK_EXIT_USAGE, "hours=%s: some or all", hours);
	return hours && !strcmp(hours, "all");
}

int rtc_main(void)
{
	const struct rtc_keys keys = {
		.n = app_number("n", 256, 16, 10000000),
		.seconds = app_number("seconds", 2, 1, 600),
		.all_hours = all_hours(),
	};
	unsigned planned = 0;

	for (unsigned i = 0; i < TEST_COUNT; i++)
		planned += is_chosen(&tests[i]) ? tests[i].results : 0;
	if (!planned)
		app_exit(TK_EXIT_USAGE, "test=%s: there is none; help=1 lists them",
			 app_option("test"));
	if (!rtc_present())
		app_exit(TK_EXIT_SKIPPED, "rtc: no MC146818");
	ktap_begin(planned);
	smp_start();
	for (unsigned i = 0; i < TEST_COUNT; i++) {
		if (is_chosen(&tests[i]))
			tests[i].run(&keys);
	}
	return ktap_end();
}
