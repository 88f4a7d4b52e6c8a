/* The end of a run, stated once: see ending.h. */
#include "ending.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "error.h"
#include "host_clock.h"

int ending_init(struct ending *ending, struct error *e)
{
	memset(ending, 0, sizeof(*ending));
	ending->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ending->event_fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "eventfd: %s", strerror(errno));
	pthread_mutex_init(&ending->lock, NULL);
	return 0;
}

void ending_free(struct ending *ending)
{
	if (ending->event_fd < 0)
		return;
	close(ending->event_fd);
	pthread_mutex_destroy(&ending->lock);
}

bool ending_set(struct ending *ending, enum run_end end, int guest_code, const char *format,
		va_list args)
{
	bool first;

	pthread_mutex_lock(&ending->lock);
	first = !ending_is_over(ending);
	if (first) {
		ending->end = end;
		ending->guest_code = guest_code;
		ending->at_ns = host_monotonic_ns();
		vsnprintf(ending->reason, sizeof(ending->reason), format, args);
		atomic_store_explicit(&ending->over, true, memory_order_release);
		eventfd_write(ending->event_fd, 1);
	}
	pthread_mutex_unlock(&ending->lock);
	return first;
}
