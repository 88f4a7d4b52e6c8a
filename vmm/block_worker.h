/*
 * The thread that serves a disk's requests, so that no vCPU waits for the host's I/O.
 * It sleeps in a read of an eventfd, which KVM signals at each notification of the
 * queue (ioeventfd), without an exit to userspace.
 */
#ifndef TICKVM_BLOCK_WORKER_H
#define TICKVM_BLOCK_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "devices/virtio_mmio.h"
#include "measure/record.h"

struct error;

struct block_worker {
	struct virtio_mmio *mmio;
	int event_fd; /* written: look at the queue, or at `stop` */
	atomic_bool stop;
	pthread_t thread; /* for the main thread, which starts and joins it */
	bool started;

	atomic_bool running; /* `cpu_clock` is set, and the thread has not ended */
	clockid_t cpu_clock;
	struct cpu_time cpu_time; /* set when the thread ends */
};

int block_worker_init(struct block_worker *worker, struct virtio_mmio *mmio, struct error *e);
void block_worker_free(struct block_worker *worker);

/* host_cpu: where the thread is bound to; -1: nowhere. */
int block_worker_start(struct block_worker *worker, int host_cpu, struct error *e);

/* Waits for the request in hand, and for the thread. */
void block_worker_stop(struct block_worker *worker);

/* There may be work; any thread. */
void block_worker_notify(struct block_worker *worker);

/* CPU time that the thread has used, ns; 0 when it does not run. */
uint64_t block_worker_cpu_ns(struct block_worker *worker);

#endif
