/*
 * The machine: a VM of KVM with RAM, interrupt controllers, vCPUs and devices.
 *
 * Life: machine_create(), machine_load(), machine_start(), then whatever runs in
 * the main thread until ending_is_over(), machine_join(), machine_measure(),
 * machine_destroy().
 */
#ifndef TICKVM_MACHINE_H
#define TICKVM_MACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "devices/bus.h"
#include "ending.h"
#include "irqchip.h"
#include "machine_disk.h"
#include "machine_pm_page.h"
#include "machine_timers.h"
#include "measure/kvm_stats.h"
#include "ram.h"
#include "vcpu.h"
#include "virtual_time.h"
#include "wall_clock.h"

struct boot_plan;
struct config;
struct console;
struct error;
struct record;

struct machine {
	const struct config *config;
	struct record *record;
	int kvm_fd, vm_fd;
	struct ram ram;
	struct irqchip irqchip;
	struct bus ports, mmio; /* constant once the vCPUs run */
	uint8_t port_table[BUS_PORTS];
	struct board board;
	struct machine_timers timers;
	struct virtual_time virtual_time;
	struct wall_clock wall_clock;
	struct machine_pm_page pm_page;
	struct machine_disk disk;
	struct vcpu *vcpus;
	unsigned vcpu_count, thread_count;
	uint32_t tsc_khz; /* 0: KVM does not say */

	struct ending ending;
	uint64_t first_run_ns; /* the host's monotonic clock just before the first KVM_RUN */

	pthread_mutex_t reports_lock; /* guards what vCPUs say of themselves: looks, stopped */
	pthread_cond_t reported;

	struct kvm_stats_layout vm_stats, vcpu_stats;
	int vm_stats_fd;
};

/* KVM's part and RAM; on failure machine_destroy() still has to be called. */
int machine_create(struct machine *machine, const struct config *config, struct record *record,
		   struct error *e);

/* Devices for this plan, the plan's image in RAM, the boot CPU's registers. */
int machine_load(struct machine *machine, const struct boot_plan *plan, struct console *console,
		 struct error *e);

/* machine_pmtimer.c: the PM timer inside KVM, where the configuration wants it there. */
int machine_create_pmtimer(const struct machine *machine, struct error *e);

/* Starts the vCPU threads. */
int machine_start(struct machine *machine, struct error *e);

/* Ends the run, from any thread; the first call wins. */
void machine_end(struct machine *machine, enum run_end end, int guest_code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Asks every vCPU how it is and waits up to `patience_ns`. Returns how many
 * answered; `looks` and `answered` have an element a vCPU.
 */
unsigned machine_look(struct machine *machine, uint64_t patience_ns, struct vcpu_look *looks,
		      bool *answered);

/* Waits for the threads after the end, kicking them until they are gone. */
void machine_join(struct machine *machine);

/* Exit counts, KVM's statistics and CPU times into the record. After machine_join(). */
void machine_measure(struct machine *machine);

/* Closes the VM. */
void machine_destroy(struct machine *machine);

#endif
