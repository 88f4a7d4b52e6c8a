/*
 * pmtimer: is the ACPI PM timer right, and what does reading it cost (ACPI 6.5
 * § 4.8.2.1 and § 4.8.3.3)? One test after the other, each in a file of its own:
 *
 *   rate      BC-01: the counter against the host's clock, read rarely and flat out
 *   cost      BC-02: the driver's reading beside other ways to read something
 *   order     BC-03: a later reading on another CPU is never the earlier one
 *   crowd     BC-03: all CPUs read at once, and none sees it step back
 *   overflow  BC-04: each change of the top bit raises one SCI, with TMR_STS set
 *   silent    BC-04: with TMR_EN clear it sets TMR_STS, exactly then, and raises none
 *   writes    BC-29: no write to the timer's and PM1's ports moves the counter
 */
#include "apps.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "drivers/pmtimer.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "kernel/smp.h"
#include "pmtimer.h"

const struct app_key pmtimer_keys[] = {
	{"test", "rate, cost, order, crowd, overflow, silent, writes or all (all)"},
	{"seconds", "of each part of rate, 1 to 600 (1)"},
	{"n", "reads of cost and crowd, hand-offs of order, random writes, 16 to 100000000 (4096)"},
	{"boundaries", "changes of the top bit for overflow, 1 to 64 (1)"},
	{"seed", "of writes' random writes, 1 to 4294967295 (1)"},
	{NULL, NULL},
};

static const struct test {
	const char *name;
	unsigned results;
	void (*run)(const struct pmtimer_keys *keys);
} tests[] = {
	{"rate", 4, pmtimer_rate},     {"cost", 1, pmtimer_cost},
	{"order", 2, pmtimer_order},   {"crowd", 1, pmtimer_crowd},
	{"writes", 1, pmtimer_writes}, {"overflow", 4, pmtimer_overflow},
	{"silent", 4, pmtimer_silent},
};
#define TEST_COUNT (sizeof(tests) / sizeof(*tests))

static bool is_chosen(const struct test *test)
{
	const char *choice = app_option("test");

	return !choice || !strcmp(choice, "all") || !strcmp(choice, test->name);
}

static unsigned planned_results(void)
{
	unsigned planned = 0;

	for (unsigned i = 0; i < TEST_COUNT; i++)
		planned += is_chosen(&tests[i]) ? tests[i].results : 0;
	if (!planned)
		app_exit(TK_EXIT_USAGE,
			 "test=%s: rate, cost, order, crowd, overflow, silent, writes or all",
			 app_option("test"));
	return planned;
}

int pmtimer_main(void)
{
	const struct pmtimer_keys keys = {
		.seconds = app_number("seconds", 1, 1, 600),
		.n = app_number("n", 4096, 16, 100000000),
		.boundaries = app_number("boundaries", 1, 1, 64),
		.seed = app_number("seed", 1, 1, UINT32_MAX),
	};
	unsigned planned = planned_results();

	if (!pmtimer_present())
		app_exit(TK_EXIT_SKIPPED, "pmtimer: no ACPI PM timer");
	ktap_begin(planned);
	ktap_note("PM timer: %u bits, port %#x, read by its %s", pmtimer_width(), pmtimer_port(),
		  pmtimer_method());
	smp_start();
	for (unsigned i = 0; i < TEST_COUNT; i++) {
		if (is_chosen(&tests[i]))
			tests[i].run(&keys);
	}
	return ktap_end();
}
