/*
 * The host's side of the pair's registers (kernel/abi.h): exit, marks, and what the
 * guest hands over in its memory. The register device is devices/pair.c.
 */
#ifndef TICKVM_PAIR_HOST_H
#define TICKVM_PAIR_HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "devices/pair.h"
#include "measure/record.h"

struct machine;

/* All counters of the machine at one moment. */
struct machine_counts {
	uint64_t wall_ns;
	uint64_t vcpu_cpu_ns, io_cpu_ns;
	uint64_t kvm_exits;
	uint64_t instructions;
	struct exit_counts exits;
};

struct pair_host {
	struct machine *machine;
	atomic_bool complained;		    /* about a bad request: said once a run */
	atomic_bool main_seen;		    /* TK_MARK_MAIN was taken */
	atomic_uint version;		    /* as the guest wrote it; 0: it did not */
	uint64_t exits_at, instructions_at; /* in a vCPU's statistics file; 0: not there */

	/* Guarded by `lock`: any vCPU may begin or end a phase. */
	pthread_mutex_t lock;
	bool in_phase;
	struct machine_counts begin;
	char phase_name[TK_NAME_SIZE];
};

void pair_host_init(struct pair_host *host, struct machine *machine);

struct pair_ops pair_host_ops(struct pair_host *host);

#endif
