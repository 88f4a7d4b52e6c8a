/* When the host's wall clock is set: see wall_clock.h and timerfd_create(2),
 * TFD_TIMER_CANCEL_ON_SET. */
#include "wall_clock.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"

/* Both clocks are read at one moment as nearly as two calls can; the nearest of some tries. */
#define TRIES 8

static int64_t read_offset_ns(void)
{
	uint64_t least_ns = UINT64_MAX;
	int64_t offset_ns = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before_ns = host_monotonic_ns();
		uint64_t wall_ns = host_clock_ns(CLOCK_REALTIME);
		uint64_t took_ns = host_monotonic_ns() - before_ns;

		if (took_ns >= least_ns)
			continue;
		least_ns = took_ns;
		offset_ns = (int64_t)(wall_ns - (before_ns + took_ns / 2));
	}
	return offset_ns;
}

/* It need never go off: only that it is cancelled counts. */
static int arm(const struct wall_clock *wall)
{
	const struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};

	return timerfd_settime(wall->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int wall_clock_watch(struct wall_clock *wall, struct error *e)
{
	wall->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (wall->fd < 0 || arm(wall))
		return error_set(e, TK_EXIT_SKIPPED, "--rtc-clock=host: timerfd: %s",
				 strerror(errno));
	wall->offset_ns = read_offset_ns();
	return 0;
}

void wall_clock_close(struct wall_clock *wall)
{
	if (wall->fd >= 0)
		close(wall->fd);
	wall->fd = -1;
}

int64_t wall_clock_step(struct wall_clock *wall)
{
	int64_t before_ns = wall->offset_ns;
	uint64_t expirations;

	(void)!read(wall->fd, &expirations, sizeof(expirations));
	arm(wall);
	wall->offset_ns = read_offset_ns();
	return wall->offset_ns - before_ns;
}
