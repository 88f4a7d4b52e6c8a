/*
 * `tickvm run`: boots an image under KVM, and judges what came of it.
 */
#include "cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "error.h"
#include "host_clock.h"
#include "loader/loader.h"
#include "machine.h"
#include "main_loop.h"
#include "measure/host.h"
#include "options.h"
#include "report/report.h"
#include "terminal.h"

/* One run; too large for a stack, and there is one a process. */
struct run {
	struct config config;
	struct boot_plan plan;
	struct record record;
	struct machine machine;
	struct console console;
	struct host_facts host;
	int signal_fd;
	uint64_t began_ns;
};

static bool result_to_stdout(const struct config *config)
{
	return config->json_path && !strcmp(config->json_path, "-");
}

static void describe_run(struct run *run)
{
	struct record *record = &run->record;
	const struct machine *machine = &run->machine;

	snprintf(record->backend, sizeof(record->backend), "tickvm");
	snprintf(record->image, sizeof(record->image), "%s", run->config.image);
	snprintf(record->cmdline, sizeof(record->cmdline), "%s", run->plan.cmdline);
	for (unsigned i = 0; i < machine->ports.count; i++) {
		record->port_names[i] = machine->ports.regions[i].name;
		record->port_bases[i] = (uint16_t)machine->ports.regions[i].base;
	}
	for (unsigned i = 0; i < machine->mmio.count; i++)
		record->mmio_names[i] = machine->mmio.regions[i].name;
}

/* From the image to a machine that is ready to start. */
static int prepare(struct run *run, struct error *e)
{
	struct machine *machine = &run->machine;
	struct view image;
	int result = -1;

	if (view_map(run->config.image, &image, e))
		return -1;
	if (boot_plan_read(image, run->config.menu_entry, run->config.cmdline, &run->plan, e) ==
		    0 &&
	    machine_disk_announce(&run->config, &run->plan, e) == 0 &&
	    machine_create(machine, &run->config, &run->record, e) == 0 &&
	    console_init(&run->console, machine,
			 result_to_stdout(&run->config) ? STDERR_FILENO : STDOUT_FILENO, e) == 0)
		result = machine_load(machine, &run->plan, &run->console, e);
	view_unmap(&image);
	return result;
}

static void record_end(struct run *run)
{
	const struct ending *ending = &run->machine.ending;
	struct run_times *times = &run->record.times;
	unsigned version = atomic_load(&run->machine.board.pair_host.version);

	run->record.end = ending->end;
	if (ending->guest_code >= 0)
		run->record.guest_code = ending->guest_code;
	if (version)
		run->record.guest_abi = version;
	snprintf(run->record.reason, sizeof(run->record.reason), "%s", ending->reason);
	times->setup_ns = run->machine.first_run_ns - run->began_ns;
	times->clock_ns = virtual_clock_ns(&run->machine.board.clock);
	times->run_ns = ending->at_ns - run->machine.first_run_ns - times->boot_ns;
}

/* Only an interpreting host counts every instruction of the guest as emulated. */
static void drop_unknown_instructions(struct run *run)
{
	if (run->host.kind == HOST_INTERPRETING)
		return;
	run->record.boot_instructions = 0;
	for (unsigned i = 0; i < run->record.phase_count; i++)
		run->record.phases[i].guest_instructions = 0;
}

static int run_guest(struct run *run, struct error *e)
{
	struct machine *machine = &run->machine;

	if (run->config.syscalls &&
	    syscalls_start(&run->record.syscalls, run->config.syscalls_method, e))
		return -1;
	terminal_make_raw();
	if (machine_start(machine, e)) {
		terminal_restore();
		return -1;
	}
	/* These take some milliseconds; the guest boots meanwhile. */
	irqchip_settle(&machine->irqchip);
	host_facts_read(&run->host);
	main_loop_run(machine, &run->console, run->signal_fd);
	machine_join(machine);
	syscalls_stop(&run->record.syscalls);
	console_finish(&run->console);
	terminal_restore();
	return 0;
}

/* Closes the VM, which takes time of its own. */
static void finish(struct run *run)
{
	uint64_t ended_ns = run->machine.ending.at_ns;

	record_end(run);
	machine_measure(&run->machine);
	drop_unknown_instructions(run);
	machine_destroy(&run->machine);
	run->record.times.close_ns = host_monotonic_ns() - ended_ns;
}

static int report(const struct run *run, struct error *e)
{
	const struct config *config = &run->config;
	bool with_summary = !config->quiet && !result_to_stdout(config);
	json_t *result = result_build(&run->record, config, &run->host);
	int code;

	if (!result)
		return error_set(e, TK_EXIT_FAIL, "out of memory for the result");
	code = result_exit_code(result);
	if (with_summary)
		summary_print(result, stdout, config->verbose, summary_wants_colour(stdout));
	/* The summary ends with the reason. */
	if (!with_summary && code != 0)
		fprintf(stderr, "tickvm: %s\n", run->record.reason);
	if (config->json_path && result_save(result, config->json_path, e))
		code = -1;
	json_decref(result);
	return code;
}

static int run_and_judge(struct run *run, struct error *e)
{
	vcpu_init_kick();
	run->signal_fd = main_loop_take_signals(e);
	if (run->signal_fd < 0 || prepare(run, e) || run_guest(run, e))
		return -1;
	describe_run(run);
	finish(run);
	return report(run, e);
}

int cmd_run(int argc, char **argv)
{
	static struct run run;
	struct error e;
	int code;

	run.began_ns = host_monotonic_ns();
	record_init(&run.record);
	if (options_parse(argc, argv, &run.config, &e))
		code = -1;
	else
		code = run_and_judge(&run, &e);
	if (code < 0 && e.text[0])
		fprintf(stderr, "tickvm: %s\n", e.text);
	if (code < 0)
		code = e.exit_code;
	fflush(stdout);
	record_free(&run.record);
	options_free(&run.config);
	return code;
}
