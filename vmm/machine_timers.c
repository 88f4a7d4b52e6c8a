/* Timers of the machine's devices: see machine_timers.h. */
#include "machine_timers.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"
#include "measure/cpu_time.h"
#include "virtual_clock.h"

/* What the host's timers bear; the rest is never. */
#define FAR_NS ((uint64_t)INT64_MAX)

/* Sets the timerfd to the earliest timer; a system call only if that is news. Lock held. */
static void set_next(struct machine_timers *timers)
{
	struct itimerspec spec = {.it_value = {0}}; /* all 0: off */
	uint64_t host_ns, at_ns = EVENT_NEVER;

	for (unsigned i = 0; i < timers->count; i++)
		if (timers->timers[i].at_ns < at_ns)
			at_ns = timers->timers[i].at_ns;
	if (at_ns == timers->set_ns)
		return;
	timers->set_ns = at_ns;
	host_ns = virtual_clock_host_ns(timers->clock, at_ns);
	/* Never 0 when on: the host had run for a while when the machine was powered on. */
	if (host_ns < FAR_NS)
		spec.it_value = host_timespec(host_ns);
	timerfd_settime(timers->fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void arm(void *opaque, uint64_t at_ns)
{
	struct machine_timer *timer = opaque;

	pthread_mutex_lock(&timer->all->lock);
	timer->at_ns = at_ns;
	set_next(timer->all);
	pthread_mutex_unlock(&timer->all->lock);
}

/* Switches off a timer that is due, and counts it. Lock held. */
static void take(struct machine_timer *timer, uint64_t now_ns)
{
	uint64_t late_ns = now_ns - timer->at_ns;

	timer->at_ns = EVENT_NEVER;
	timer->wakeups++;
	timer->late_sum_ns += late_ns;
	if (late_ns > timer->late_max_ns)
		timer->late_max_ns = late_ns;
}

/* The timer's own lock is not held in event(), which may arm it again. */
static void call(const struct machine_timer *timer)
{
	if (timer->device_lock)
		pthread_mutex_lock(timer->device_lock);
	timer->event(timer->opaque);
	if (timer->device_lock)
		pthread_mutex_unlock(timer->device_lock);
}

/*
 * A device that disarms its timer just now is called nevertheless: it must look at what
 * there is to do, as it does at each call.
 */
void machine_timers_run(struct machine_timers *timers)
{
	bool due[MACHINE_TIMERS_MAX] = {false};
	uint64_t expirations, now_ns = virtual_clock_ns(timers->clock);

	(void)!read(timers->fd, &expirations, sizeof(expirations));
	pthread_mutex_lock(&timers->lock);
	for (unsigned i = 0; i < timers->count; i++) {
		due[i] = timers->timers[i].at_ns <= now_ns;
		if (due[i])
			take(&timers->timers[i], now_ns);
	}
	timers->set_ns = EVENT_NEVER; /* it went off */
	set_next(timers);
	pthread_mutex_unlock(&timers->lock);
	for (unsigned i = 0; i < timers->count; i++)
		if (due[i])
			call(&timers->timers[i]);
}

struct event_timer machine_timers_add(struct machine_timers *timers, const char *name,
				      void (*event)(void *opaque), void *opaque,
				      pthread_mutex_t *device_lock)
{
	struct machine_timer *timer = &timers->timers[timers->count];

	assert(timers->count < MACHINE_TIMERS_MAX);
	*timer = (struct machine_timer){.all = timers,
					.name = name,
					.at_ns = EVENT_NEVER,
					.event = event,
					.opaque = opaque,
					.device_lock = device_lock};
	timers->count++;
	return (struct event_timer){.arm = arm, .opaque = timer};
}

uint64_t machine_timers_next_ns(struct machine_timers *timers)
{
	uint64_t at_ns;

	pthread_mutex_lock(&timers->lock);
	at_ns = timers->set_ns;
	pthread_mutex_unlock(&timers->lock);
	return at_ns;
}

static void *serve(void *opaque)
{
	struct machine_timers *timers = opaque;
	struct pollfd sources[] = {{.fd = timers->fd, .events = POLLIN},
				   {.fd = timers->end_fd, .events = POLLIN}};

	while (!sources[1].revents) {
		if (poll(sources, 2, -1) > 0 && sources[0].revents)
			machine_timers_run(timers);
	}
	timers->cpu_time = cpu_time_of_thread();
	return NULL;
}

int machine_timers_start_thread(struct machine_timers *timers, int end_fd, struct error *e)
{
	int why;

	timers->end_fd = end_fd;
	why = pthread_create(&timers->thread, NULL, serve, timers);
	timers->has_thread = !why;
	return why ? error_set(e, TK_EXIT_SKIPPED, "thread of the timers: %s", strerror(why)) : 0;
}

void machine_timers_join_thread(struct machine_timers *timers)
{
	if (timers->has_thread)
		pthread_join(timers->thread, NULL);
	timers->has_thread = false;
}

int machine_timers_init(struct machine_timers *timers, const struct virtual_clock *clock,
			struct error *e)
{
	timers->clock = clock;
	timers->count = 0;
	timers->has_thread = false;
	timers->set_ns = EVENT_NEVER;
	timers->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timers->fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "timerfd: %s", strerror(errno));
	pthread_mutex_init(&timers->lock, NULL);
	return 0;
}

void machine_timers_free(struct machine_timers *timers)
{
	if (timers->fd >= 0)
		close(timers->fd);
	timers->fd = -1;
}
