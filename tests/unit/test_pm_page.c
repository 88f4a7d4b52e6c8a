/*
 * The exit-less PM timer's arithmetic, against hosts that are simulated in wide numbers:
 * a clock that is off from the TSC by some ppm and changes its rate, samples that are
 * taken a little off, refreshes that come late. It must never step back, and stay close.
 */
#include "fake.h"

#include "vmm/devices/pmtimer.h"
#include "vmm/pm_page.h"

#define TSC_KHZ	      1996250
#define TICK_NS	      279.4
#define NS_TO_TSC(ns) ((uint64_t)((unsigned __int128)(ns)*TSC_KHZ / 1000000))
#define NS_PER_MS     UINT64_C(1000000)
#define RATE_CHANGES  8
#define START_TSC     UINT64_C(0xfedcba9876543210)

/* A host: its clock runs at (1 + ppb / 10^9) times what the TSC's stated frequency says. */
struct host {
	uint64_t tsc;
	uint64_t ns; /* the clock at tsc */
	int64_t ppb;
	uint64_t random;
};

/* splitmix64: the same each time. */
static uint64_t next_random(struct host *host)
{
	uint64_t z = host->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void pass(struct host *host, uint64_t tsc)
{
	__int128 ns = (__int128)tsc * 1000000 / TSC_KHZ;

	host->tsc += tsc;
	host->ns += (uint64_t)(ns + ns * host->ppb / 1000000000);
}

static __int128 right_count(const struct host *host)
{
	return ((__int128)host->ns * PMTIMER_HZ << 32) / 1000000000;
}

/* What the line shows more than it should, in 2^-32 ticks. */
static int64_t error_of(const struct pm_page_line *line, const struct host *host)
{
	return (int64_t)((__int128)(pm_page_count(line, host->tsc) >> 32) - right_count(host));
}

struct watch {
	unsigned __int128 last;
	int64_t worst; /* 2^-32 ticks */
};

static void look(struct watch *watch, const struct pm_page_line *line, const struct host *host)
{
	unsigned __int128 count = pm_page_count(line, host->tsc);
	int64_t error = error_of(line, host);

	assert_true(count >= watch->last);
	watch->last = count;
	if (error < 0)
		error = -error;
	if (error > watch->worst)
		watch->worst = error;
}

/* A sample that is up to `noise_ns` off, and the new line a moment after it. */
static void refresh(struct pm_page_line *line, struct host *host, struct watch *watch,
		    uint64_t noise_ns)
{
	struct pm_page_sample sample = {host->tsc, host->ns};

	if (noise_ns)
		sample.ns += next_random(host) % (2 * noise_ns + 1) - noise_ns;
	pass(host, 300 + next_random(host) % 1000);
	look(watch, line, host);
	pm_page_refresh(line, &sample, host->tsc);
	look(watch, line, host);
}

static void start(struct pm_page_line *line, struct host *host, int64_t ppb)
{
	struct pm_page_sample sample;

	*host = (struct host){.tsc = START_TSC, .ns = 12345678, .ppb = ppb, .random = 4};
	sample = (struct pm_page_sample){host->tsc, host->ns};
	pm_page_start(line, &sample, TSC_KHZ);
}

/* Runs for so long, with the refreshes as they are due, late by up to `late_ns`. */
static void run(struct pm_page_line *line, struct host *host, struct watch *watch, uint64_t *due_ns,
		uint64_t run_ns, uint64_t noise_ns, uint64_t late_ns)
{
	uint64_t passed_ns = 0;

	while (passed_ns < run_ns) {
		uint64_t interval_ns = *due_ns + (late_ns ? next_random(host) % late_ns : 0);

		for (unsigned step = 0; step < 16; step++) {
			pass(host, NS_TO_TSC(interval_ns) / 16);
			look(watch, line, host);
		}
		passed_ns += interval_ns;
		refresh(line, host, watch, noise_ns);
		*due_ns *= 2;
		if (*due_ns > PM_PAGE_REFRESH_MAX_NS)
			*due_ns = PM_PAGE_REFRESH_MAX_NS;
	}
}

static double worst_ticks(const struct watch *watch)
{
	return (double)watch->worst / 4294967296.0;
}

/* As a reader computes it: one product, both halves, the fraction's carry. */
static void the_guests_arithmetic_is_the_same(void **state)
{
	struct pm_page_line line;
	struct host host;

	start(&line, &host, 0);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t tsc = line.tsc_base + (next_random(&host) >> i % 64);
		unsigned __int128 product =
			(unsigned __int128)(tsc - line.tsc_base) * line.multiplier + line.fraction;

		assert_true(line.ticks + (uint64_t)(product >> 64) ==
			    (uint64_t)(pm_page_count(&line, tsc) >> 64));
	}
}

/* The first line is the port's count exactly, and its slope is the stated frequency's. */
static void starts_at_the_count(void **state)
{
	struct pm_page_line line;
	struct host host;

	start(&line, &host, 0);
	assert_true(line.ticks == (unsigned __int128)host.ns * PMTIMER_HZ / 1000000000);
	pass(&host, NS_TO_TSC(10 * NS_PER_S));
	assert_in_range(error_of(&line, &host) + 1000000, 0, 2000000); /* 0.0003 ticks */
}

/* A clock that is off by ±100 ppm: two ticks at most over ten seconds, samples 40 ns off. */
static void keeps_to_a_clock_of_another_rate(void **state)
{
	for (int64_t ppb = -100000; ppb <= 100000; ppb += 12500) {
		uint64_t due_ns = PM_PAGE_REFRESH_FIRST_NS;
		struct watch watch = {0};
		struct pm_page_line line;
		struct host host;

		start(&line, &host, ppb);
		run(&line, &host, &watch, &due_ns, 10 * NS_PER_S, 40, 0);
		assert_true(worst_ticks(&watch) < 2);
		assert_true(worst_ticks(&watch) > 0); /* it was looked at */
	}
}

/* Late by up to 300 ms at any refresh: the slope is known by then, and still fits. */
static void bears_late_refreshes(void **state)
{
	for (int64_t ppb = -100000; ppb <= 100000; ppb += 50000) {
		uint64_t due_ns = PM_PAGE_REFRESH_FIRST_NS;
		struct watch watch = {0};
		struct pm_page_line line;
		struct host host;

		start(&line, &host, ppb);
		run(&line, &host, &watch, &due_ns, 200 * NS_PER_MS, 40, 0);
		run(&line, &host, &watch, &due_ns, 20 * NS_PER_S, 40, 300 * NS_PER_MS);
		assert_true(worst_ticks(&watch) < 4);
	}
}

/*
 * A rate that changes by d ppm is noticed a refresh later. Until then the count is off by
 * d ppm of the time passed, then at most as much again: the bound that the page has.
 */
static void follows_changes_of_rate(void **state)
{
	static const int64_t ppb[RATE_CHANGES] = {0, 100000, -100000, 50000, 49000, 0, -5000, 5000};
	uint64_t due_ns = PM_PAGE_REFRESH_FIRST_NS;
	struct pm_page_line line;
	struct host host;

	start(&line, &host, 0);
	for (unsigned i = 0; i < RATE_CHANGES; i++) {
		double change_ppm = i ? (double)(ppb[i] - ppb[i - 1]) / 1000 : 0;
		double off_ns = (change_ppm < 0 ? -change_ppm : change_ppm) / 1e6 *
				(double)PM_PAGE_REFRESH_MAX_NS;
		struct watch watch = {.last = pm_page_count(&line, host.tsc)};

		host.ppb = ppb[i];
		run(&line, &host, &watch, &due_ns, 3 * NS_PER_S, 40, 0);
		assert_true(worst_ticks(&watch) < 2 * off_ns / TICK_NS + 2);
		/* … and it is over: the last of these seconds is close again. */
		watch.worst = 0;
		run(&line, &host, &watch, &due_ns, NS_PER_S, 40, 0);
		assert_true(worst_ticks(&watch) < 2);
	}
}

/* A clock that steps: forward at once, backward by going slower until it is right again. */
static void bears_steps(void **state)
{
	static const int64_t step_ns[] = {1, 1000, 1000000, 3000000000, -1, -1000, -1000000};
	uint64_t due_ns = PM_PAGE_REFRESH_FIRST_NS;
	struct pm_page_line line;
	struct host host;

	start(&line, &host, 20000);
	host.ns += 10 * NS_PER_S;
	for (unsigned i = 0; i < sizeof(step_ns) / sizeof(step_ns[0]); i++) {
		struct watch watch = {.last = pm_page_count(&line, host.tsc)};

		host.ns += (uint64_t)step_ns[i];
		run(&line, &host, &watch, &due_ns, 4 * NS_PER_S, 40, 0);
		watch.worst = 0;
		run(&line, &host, &watch, &due_ns, NS_PER_S, 40, 0);
		assert_true(worst_ticks(&watch) < 2);
	}
}

/* Two samples at one TSC, or a clock that stood still, must not divide by nothing. */
static void bears_samples_without_a_distance(void **state)
{
	struct pm_page_line line;
	struct pm_page_sample sample;
	struct host host;

	start(&line, &host, 0);
	sample = line.last;
	pm_page_refresh(&line, &sample, host.tsc);
	assert_true(line.multiplier == line.stated_rate);
	sample.tsc += 1000000;
	pm_page_refresh(&line, &sample, sample.tsc);
	assert_in_range(line.multiplier, line.stated_rate / 2, line.stated_rate - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_guests_arithmetic_is_the_same),
		cmocka_unit_test(starts_at_the_count),
		cmocka_unit_test(keeps_to_a_clock_of_another_rate),
		cmocka_unit_test(bears_late_refreshes),
		cmocka_unit_test(follows_changes_of_rate),
		cmocka_unit_test(bears_steps),
		cmocka_unit_test(bears_samples_without_a_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
