/* The thread that serves a disk's requests: see block_worker.h. */
#include "block_worker.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"
#include "measure/cpu_time.h"

#define WORKER_STACK_BYTES (256 << 10)

int block_worker_init(struct block_worker *worker, struct virtio_mmio *mmio, struct error *e)
{
	worker->mmio = mmio;
	worker->event_fd = eventfd(0, EFD_CLOEXEC);
	if (worker->event_fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "--disk: eventfd: %s", strerror(errno));
	return 0;
}

void block_worker_free(struct block_worker *worker)
{
	if (worker->event_fd >= 0)
		close(worker->event_fd);
	worker->event_fd = -1;
}

static void *worker_thread(void *opaque)
{
	struct block_worker *worker = opaque;
	uint64_t notified;

	pthread_getcpuclockid(pthread_self(), &worker->cpu_clock);
	atomic_store(&worker->running, true);
	while (!atomic_load(&worker->stop)) {
		if (read(worker->event_fd, &notified, sizeof(notified)) == sizeof(notified))
			virtio_mmio_serve(worker->mmio, &worker->stop);
	}
	worker->cpu_time = cpu_time_of_thread();
	atomic_store(&worker->running, false);
	return NULL;
}

int block_worker_start(struct block_worker *worker, int host_cpu, struct error *e)
{
	pthread_attr_t attr;
	cpu_set_t cpus;
	int failure;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK_BYTES);
	if (host_cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(host_cpu, &cpus);
		pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	failure = pthread_create(&worker->thread, &attr, worker_thread, worker);
	pthread_attr_destroy(&attr);
	worker->started = !failure;
	if (!failure)
		return 0;
	if (host_cpu >= 0 && failure == EINVAL)
		return error_set(e, TK_EXIT_SKIPPED, "--pin-io: this host has no CPU %d", host_cpu);
	return error_set(e, TK_EXIT_SKIPPED, "thread of --disk: %s", strerror(failure));
}

void block_worker_stop(struct block_worker *worker)
{
	if (!worker->started)
		return;
	atomic_store(&worker->stop, true);
	block_worker_notify(worker);
	pthread_join(worker->thread, NULL);
	worker->started = false;
}

void block_worker_notify(struct block_worker *worker)
{
	const uint64_t one = 1;

	/* It fails only when 2^64 - 2 notifications wait, and one is enough. */
	(void)!write(worker->event_fd, &one, sizeof(one));
}

uint64_t block_worker_cpu_ns(struct block_worker *worker)
{
	return atomic_load(&worker->running) ? host_clock_ns(worker->cpu_clock) : 0;
}
