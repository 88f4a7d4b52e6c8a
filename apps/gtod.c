/*
 * gtod: gettimeofday() in a loop, as the test program of 2010 did it that showed what
 * a PM timer in the hypervisor's kernel saves. `clock=` says what each call reads.
 *
 * With ring=3 the loop runs in ring 3 and each call is a system call, as it was there;
 * with ring=0 it is the clock's path alone. The guest knows the real time only: what
 * the CPU spent in the guest and for it is the VMM's to say, by the phase.
 */
#include "apps.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "drivers/pmtimer.h"
#include "drivers/tsc.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "kernel/user.h"

#define BATCHES_MAX  1024
#define NS_PER_S     UINT64_C(1000000000)
#define US_PER_S     1000000 /* and parts in a million */
#define NS_PER_US    1000
#define NARROW_WIDTH 16 /* bits: such a counter turns within any stall of the host */

const struct app_key gtod_keys[] = {
	{"n", "calls, 1 to 4000000000 (10000)"},
	{"batches", "parts that they are timed in, 1 to 1024 (16)"},
	{"ring", "0: plain calls, 3: system calls from ring 3 (0)"},
	{NULL, NULL},
};

typedef void loop(uint64_t calls, struct timeval *time);

static struct job {
	loop *loop;
	uint64_t calls; /* in a batch */
	unsigned batches;
	struct timeval ends[BATCHES_MAX]; /* what the last call of each batch gave */
	uint64_t tsc[BATCHES_MAX];	  /* that each took */
} job;

static void call_plainly(uint64_t calls, struct timeval *time)
{
	while (calls--)
		gettimeofday(time, NULL);
}

static void call_from_ring_3(uint64_t calls, struct timeval *time)
{
	while (calls--)
		user_syscall(USER_APP, (uintptr_t)time);
}

static uint64_t handle_call(uint64_t argument)
{
	return (uint64_t)gettimeofday((struct timeval *)argument, NULL);
}

static uint64_t run_batches(void *argument)
{
	for (unsigned i = 0; i < job.batches; i++) {
		uint64_t start = rdtsc_ordered();

		job.loop(job.calls, &job.ends[i]);
		job.tsc[i] = rdtsc_ordered() - start;
	}
	return 0;
}

static uint64_t time_of_day_us(void)
{
	struct timeval time;

	gettimeofday(&time, NULL);
	return (uint64_t)time.tv_sec * US_PER_S + (uint64_t)time.tv_usec;
}

/*
 * The real time's clock: the host's, else the TSC, whose rate may come from a
 * calibration of some milliseconds. Its unit is 1/hz s.
 */
static struct reference {
	const char *name;
	uint64_t (*read)(void);
	uint64_t hz;
	unsigned ppm; /* that a clock may differ from it */
} reference;

static void choose_reference(void)
{
	if (pair_present())
		reference = (struct reference){"the host's clock", pair_host_ns, NS_PER_S, 1000};
	else
		reference = (struct reference){"the TSC", rdtsc_ordered, tsc_hz(), 10000};
	if (!reference.hz)
		app_exit(TK_EXIT_SKIPPED, "gtod: neither pair contract nor a TSC of known rate");
}

static uint64_t reference_ns(uint64_t units)
{
	return units / reference.hz * NS_PER_S + units % reference.hz * NS_PER_S / reference.hz;
}

/* Real time around the loop, from outside and from inside the clock's own two readings. */
struct elapsed {
	uint64_t least_ns, most_ns, clock_ns;
};

static struct elapsed run(const char *name, bool ring3)
{
	uint64_t outer_start, inner_start, inner_end, outer_end, first_us, last_us;

	outer_start = reference.read();
	first_us = time_of_day_us();
	inner_start = reference.read();
	pair_phase_begin(name);
	if (ring3)
		user_call(run_batches, NULL);
	else
		run_batches(NULL);
	pair_phase_end(name, job.calls * job.batches);
	inner_end = reference.read();
	last_us = time_of_day_us();
	outer_end = reference.read();
	return (struct elapsed){
		.least_ns = reference_ns(inner_end - inner_start),
		.most_ns = reference_ns(outer_end - outer_start),
		.clock_ns = (last_us - first_us) * NS_PER_US,
	};
}

/* How often the end of a batch was before that of the last one. */
static unsigned steps_back(void)
{
	unsigned steps = 0;

	for (unsigned i = 1; i < job.batches; i++)
		steps += timercmp(&job.ends[i], &job.ends[i - 1], <);
	return steps;
}

static void check_order(void)
{
	ktap_note("steps back from batch to batch: measured %u, bound 0", steps_back());
	ktap_result(steps_back() == 0, "time of day never steps back");
}

/* The time of day is cut to whole microseconds, at both ends. */
static void check_rate(const struct elapsed *elapsed)
{
	const char *name = "time of day runs as fast as the real time";
	uint64_t slack = elapsed->most_ns / US_PER_S * reference.ppm +
			 2 * clock_selected()->error_ns;
	uint64_t least = elapsed->least_ns > slack ? elapsed->least_ns - slack : 0;
	uint64_t most = elapsed->most_ns + slack;

	if (clock_selected()->width <= NARROW_WIDTH) {
		ktap_skip(name, "%u bits may turn unseen while the host stalls",
			  clock_selected()->width);
		return;
	}
	ktap_note("time of day: measured %" PRIu64 " ns, bound %" PRIu64 " to %" PRIu64
		  " ns by %s, %u ppm",
		  elapsed->clock_ns, least, most, reference.name, reference.ppm);
	ktap_result(elapsed->clock_ns + NS_PER_US >= least && elapsed->clock_ns <= most + NS_PER_US,
		    "%s", name);
}

static void print_real_time(uint64_t real_ns, bool ring3)
{
	const char *source = clock_selected()->name;
	uint64_t calls = job.calls * job.batches;
	uint64_t tenths = (uint64_t)((unsigned __int128)real_ns * 10 / calls);

	ktap_note("%" PRIu64 " calls of gettimeofday(), clock %s%s%s%s, %s%s", calls, source,
		  strcmp(source, "pmtimer") ? "" : " (",
		  strcmp(source, "pmtimer") ? "" : pmtimer_method(),
		  strcmp(source, "pmtimer") ? "" : ")", ring3 ? "ring 3 by " : "ring 0",
		  ring3 ? user_gate_name() : "");
	ktap_note("real %" PRIu64 ".%03" PRIu64 " s by %s, %" PRIu64 ".%" PRIu64 " ns a call",
		  real_ns / NS_PER_S, real_ns % NS_PER_S / 1000000, reference.name, tenths / 10,
		  tenths % 10);
}

/* ns a call, a value a batch. */
static void send_samples(const char *name)
{
	uint64_t hz = tsc_hz();

	if (!hz)
		return;
	for (unsigned i = 0; i < job.batches; i++)
		job.tsc[i] = (job.tsc[i] / hz * NS_PER_S + job.tsc[i] % hz * NS_PER_S / hz) /
			     job.calls;
	pair_samples(name, "ns", job.tsc, job.batches, sizeof(*job.tsc));
}

int gtod_main(void)
{
	uint64_t n = app_number("n", 10000, 1, UINT64_C(4000000000));
	uint64_t ring = app_number("ring", 0, 0, 3);
	struct elapsed elapsed;
	char name[TK_NAME_SIZE];

	if (ring == 1 || ring == 2)
		app_exit(TK_EXIT_USAGE, "ring=%u: 0 or 3", (unsigned)ring);
	job.batches = app_number("batches", n < 16 ? n : 16, 1, n < BATCHES_MAX ? n : BATCHES_MAX);
	job.calls = n / job.batches;
	job.loop = ring ? call_from_ring_3 : call_plainly;
	choose_reference();
	user_attach(USER_APP, handle_call);
	time_of_day_us(); /* the first reading chooses the clock and asks the RTC */
	ktap_begin(2);
	snprintf(name, sizeof(name), "gtod.%s.ring%u", clock_selected()->name, (unsigned)ring);
	elapsed = run(name, ring == 3);
	print_real_time(elapsed.least_ns, ring == 3);
	send_samples(name);
	check_order();
	check_rate(&elapsed);
	return ktap_end();
}
