/*
 * A virtual CPU: one host thread that runs KVM_RUN and serves the exits to
 * userspace (SDM vol. 3 ch. 24 in KVM's terms: Documentation/virt/kvm/api.rst 5).
 *
 * Other threads reach a vCPU by vcpu_kick() only: it sets immediate_exit and sends
 * a signal whose handler is empty, so that neither a running guest, nor a halted
 * one, nor the moment before KVM_RUN can miss it.
 */
#ifndef TICKVM_VCPU_H
#define TICKVM_VCPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "measure/record.h"

struct boot_entry;
struct error;
struct kvm_cpuid2;
struct kvm_run;
struct machine;

/* What a vCPU says of itself when it is asked by vcpu_ask(). */
struct vcpu_look {
	uint32_t mp_state; /* KVM_MP_STATE_* */
	bool interrupts_on;
	bool interrupt_pending; /* in the LAPIC's IRR; looked at with --virtual-time only */
	uint64_t rip;
};

struct vcpu {
	struct machine *machine;
	unsigned index; /* also the APIC id */
	int fd;
	struct kvm_run *run; /* shared with KVM; any thread writes immediate_exit, atomically */
	size_t run_size;
	int stats_fd; /* KVM's statistics of this vCPU; -1: none */

	struct exit_counts counts; /* written by the own thread, relaxed; read by any, relaxed */

	pthread_t thread;    /* for the main thread, which starts and joins it */
	atomic_bool running; /* `self` and `cpu_clock` are set, and the thread has not ended */
	pthread_t self;
	clockid_t cpu_clock;
	struct cpu_time cpu_time; /* set when the thread ends */
	bool stopped;		  /* the thread is about to end: guarded by machine.reports_lock */

	atomic_uint asked; /* raised by vcpu_ask() */
	unsigned answered; /* with `look`: guarded by machine.reports_lock */
	struct vcpu_look look;
} __attribute__((aligned(64)));

/* Once a process, before any thread: the signal of vcpu_kick(). */
void vcpu_init_kick(void);

/* Creates vCPU `index` of the machine, with its CPUID. `cpuid`: as KVM supports it. */
int vcpu_create(struct vcpu *vcpu, struct machine *machine, unsigned index,
		const struct kvm_cpuid2 *cpuid, struct error *e);
void vcpu_destroy(struct vcpu *vcpu);

/* The boot CPU's registers: flat 32-bit protected mode (multiboot 0.6.96 § 3.2). */
int vcpu_set_entry(struct vcpu *vcpu, const struct boot_entry *entry, struct error *e);

/* The thread's function: runs the vCPU until the machine's end. */
void *vcpu_thread(void *vcpu);

void vcpu_kick(struct vcpu *vcpu);

/* Asks the vCPU to fill `look`, from its own thread; machine_look() waits for all. */
void vcpu_ask(struct vcpu *vcpu);

/* CPU time that the thread has used, ns; 0 when it does not run. */
uint64_t vcpu_cpu_ns(struct vcpu *vcpu);

/* A copy of the counters of a vCPU that may be running. */
void vcpu_counts(const struct vcpu *vcpu, struct exit_counts *copy);

/* Raises one of the vCPU's own counters, by its own thread: no one else writes it. */
static inline void vcpu_count(uint64_t *counter, uint64_t more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/* ---- parts of the vCPU in files of their own ---- */

/* vcpu_exit.c: does what the guest stopped for, after KVM_RUN returned 0. */
void vcpu_serve_exit(struct vcpu *vcpu);

/* vcpu_cpuid.c: sets CPUID for this vCPU from what KVM supports. */
int vcpu_set_cpuid(struct vcpu *vcpu, const struct kvm_cpuid2 *supported, unsigned cpus,
		   struct error *e);

/* vcpu_cpuid.c: KVM_GET_SUPPORTED_CPUID, to be freed by the caller. NULL: error. */
struct kvm_cpuid2 *vcpu_supported_cpuid(int kvm_fd, struct error *e);

/* vcpu_fault.c: ends the run with a line for an exit that a guest cannot go on after. */
void vcpu_end_by_fault(struct vcpu *vcpu);

#endif
