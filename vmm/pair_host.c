/* The host's side of the pair's registers: see pair_host.h. */
#include "pair_host.h"

#include <stdio.h>
#include <string.h>

#include "backends/path_length_marks.h"
#include "host_clock.h"
#include "machine.h"

/* A guest that asks for nonsense goes on, like one that writes to a port that is not there. */
static void complain(struct pair_host *host, const char *what, uint32_t address)
{
	if (!atomic_exchange(&host->complained, true))
		fprintf(stderr, "tickvm: the guest handed over %s at %#x: ignored\n", what,
			address);
}

/* A private copy, so that another vCPU cannot change what was checked. */
static bool copy_in(const struct pair_host *host, void *to, uint32_t address, size_t size)
{
	const void *from = ram_at(&host->machine->ram, address, size);

	if (from)
		memcpy(to, from, size);
	return from;
}

/* In virtual time the host's clock, too, stands and jumps: what is measured by it agrees. */
static uint64_t on_host_ns(void *opaque)
{
	const struct machine *machine = ((const struct pair_host *)opaque)->machine;

	return machine->virtual_time.on ? virtual_clock_ns(&machine->board.clock)
					: host_monotonic_ns();
}

static void on_version(void *opaque, uint32_t version)
{
	struct pair_host *host = opaque;

	atomic_store(&host->version, version);
	if (version != TK_ABI_VERSION)
		machine_end(host->machine, END_EXIT, TK_EXIT_USAGE,
			    "the image speaks version %u of the pair contract, this tickvm %u",
			    version, TK_ABI_VERSION);
}

static void on_exit_code(void *opaque, uint32_t code)
{
	const struct pair_host *host = opaque;

	machine_end(host->machine, END_EXIT, (int)(code & 0xff), "the guest's exit code is %u",
		    code);
}

/* Only the boot CPU has run this far, so its instructions are all there are. */
static void on_mark(void *opaque, uint32_t mark, unsigned cpu)
{
	struct pair_host *host = opaque;
	struct machine *machine = host->machine;

	if (mark != TK_MARK_MAIN || atomic_exchange(&host->main_seen, true))
		return;
	machine->record->times.boot_ns = host_monotonic_ns() - machine->first_run_ns;
	machine->record->boot_instructions = kvm_stats_value(machine->vcpus[cpu].stats_fd,
							     host->instructions_at);
}

static void on_samples(void *opaque, uint32_t address, unsigned cpu)
{
	struct pair_host *host = opaque;
	struct tk_samples samples;
	const void *values;

	(void)cpu;
	if (!copy_in(host, &samples, address, sizeof(samples))) {
		complain(host, "samples outside of RAM", address);
		return;
	}
	if (samples.count > TK_SAMPLES_MAX || (samples.width != 4 && samples.width != 8)) {
		complain(host, "samples of a wrong count or width", address);
		return;
	}
	values = ram_at(&host->machine->ram, samples.address,
			(uint64_t)samples.count * samples.width);
	if (!values)
		complain(host, "samples with values outside of RAM", address);
	else if (record_samples(host->machine->record, samples.name, samples.unit, values,
				samples.count, samples.width))
		complain(host, "samples with a wrong name or unit, or too many", address);
}

static void take_counts(const struct pair_host *host, struct machine_counts *counts)
{
	struct machine *machine = host->machine;
	struct exit_counts exits;

	memset(counts, 0, sizeof(*counts));
	for (unsigned i = 0; i < machine->vcpu_count; i++) {
		struct vcpu *vcpu = &machine->vcpus[i];

		vcpu_counts(vcpu, &exits);
		exit_counts_add(&counts->exits, &exits);
		counts->kvm_exits += kvm_stats_value(vcpu->stats_fd, host->exits_at);
		counts->instructions += kvm_stats_value(vcpu->stats_fd, host->instructions_at);
		counts->vcpu_cpu_ns += vcpu_cpu_ns(vcpu);
	}
	counts->io_cpu_ns = block_worker_cpu_ns(&machine->disk.worker);
	counts->wall_ns = host_monotonic_ns();
}

static void end_phase(struct pair_host *host, uint64_t operations)
{
	const struct machine_counts *begin = &host->begin;
	struct machine_counts end;
	struct phase phase = {.operations = operations};

	take_counts(host, &end);
	memcpy(phase.name, host->phase_name, sizeof(phase.name));
	phase.wall_ns = end.wall_ns - begin->wall_ns;
	phase.vcpu_cpu_ns = end.vcpu_cpu_ns - begin->vcpu_cpu_ns;
	phase.io_cpu_ns = end.io_cpu_ns - begin->io_cpu_ns;
	phase.exits = end.exits;
	exit_counts_subtract(&phase.exits, &begin->exits);
	phase.kvm_exits = end.kvm_exits - begin->kvm_exits;
	phase.kvm_exits_known = host->exits_at != 0;
	phase.guest_instructions = end.instructions - begin->instructions;
	host->in_phase = false;
	record_phase(host->machine->record, &phase);
}

static void on_phase(void *opaque, uint32_t address, unsigned cpu)
{
	struct pair_host *host = opaque;
	struct tk_phase phase;

	(void)cpu;
	if (!copy_in(host, &phase, address, sizeof(phase)) ||
	    !memchr(phase.name, 0, sizeof(phase.name))) {
		complain(host, "a phase outside of RAM or without a name", address);
		return;
	}
	pthread_mutex_lock(&host->lock);
	if (phase.kind == TK_PHASE_BEGIN && !host->in_phase) {
		memcpy(host->phase_name, phase.name, sizeof(phase.name));
		host->in_phase = true;
		take_counts(host, &host->begin);
		path_length_begin();
	} else if (phase.kind == TK_PHASE_END && host->in_phase &&
		   !strcmp(phase.name, host->phase_name)) {
		path_length_end();
		end_phase(host, phase.operations);
	} else {
		complain(host, "a phase that does not begin or end here", address);
	}
	pthread_mutex_unlock(&host->lock);
}

void pair_host_init(struct pair_host *host, struct machine *machine)
{
	host->machine = machine;
	host->exits_at = kvm_stats_find(&machine->vcpu_stats, "exits");
	host->instructions_at = kvm_stats_find(&machine->vcpu_stats, "insn_emulation");
	pthread_mutex_init(&host->lock, NULL);
}

struct pair_ops pair_host_ops(struct pair_host *host)
{
	struct pair_ops ops = {.host_ns = on_host_ns,
			       .version = on_version,
			       .exit = on_exit_code,
			       .mark = on_mark,
			       .samples = on_samples,
			       .phase = on_phase,
			       .opaque = host};

	return ops;
}
