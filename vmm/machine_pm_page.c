/* The exit-less PM timer's page: see machine_pm_page.h. */
#include "machine_pm_page.h"

#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "../kernel/abi.h"
#include "config.h"
#include "error.h"
#include "kvm_caps.h"
#include "machine.h"
#include "machine_map.h"
#include "mutant.h"

#define PAGE_BYTES   4096
#define SLOT	     2 /* after RAM's two */
#define SAMPLE_TRIES 8

/*
 * The host's CLOCK_MONOTONIC must be made from the TSC by its kernel, which watches
 * over the TSC for that: then the two differ by rate only, and by little.
 */
static int check_clocksource(struct error *e)
{
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   "re");
	char name[32] = "unknown";

	if (file) {
		if (fscanf(file, "%31s", name) != 1)
			strcpy(name, "unknown");
		fclose(file);
	}
	if (!strcmp(name, "tsc"))
		return 0;
	return error_set(e, TK_EXIT_SKIPPED,
			 "--pmtimer=exitless: the host's clock source is %s, not the TSC", name);
}

int machine_pm_page_create(struct machine *machine, struct error *e)
{
	struct kvm_userspace_memory_region region = {.slot = SLOT,
						     .flags = KVM_MEM_READONLY,
						     .guest_phys_addr = MAP_PM_PAGE_BASE,
						     .memory_size = PAGE_BYTES};
	void *page;

	if (machine->config->pmtimer != PMTIMER_EXITLESS)
		return 0;
	if (check_clocksource(e) || kvm_need(machine->vm_fd, KVM_CAP_READONLY_MEM, e))
		return -1;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return error_set(e, TK_EXIT_SKIPPED, "--pmtimer=exitless: %s", strerror(errno));
	machine->pm_page.page = page;
	region.userspace_addr = (uintptr_t)page;
	if (ioctl(machine->vm_fd, KVM_SET_USER_MEMORY_REGION, &region))
		return error_set(e, TK_EXIT_SKIPPED,
				 "--pmtimer=exitless: KVM cannot take a page: %s", strerror(errno));
	return 0;
}

void machine_pm_page_free(struct machine_pm_page *pm_page)
{
	if (pm_page->page)
		munmap(pm_page->page, PAGE_BYTES);
	pm_page->page = NULL;
}

/* The narrowest of some: between the two TSCs, this thread may have been off its CPU. */
static struct pm_page_sample take_sample(const struct machine *machine)
{
	const struct board *board = &machine->board;
	struct pm_page_sample sample = {0};
	uint64_t narrowest = UINT64_MAX;

	for (unsigned i = 0; i < SAMPLE_TRIES; i++) {
		uint64_t before = host_tsc();
		uint64_t ns = virtual_clock_ns(&board->clock);
		uint64_t width = host_tsc() - before;

		if (width >= narrowest)
			continue;
		narrowest = width;
		sample.tsc = before + width / 2 + machine->pm_page.tsc_offset;
		sample.ns = ns + board->pmtimer.state.start_ns;
	}
	return sample;
}

static void write_line(struct tk_pm_page *page, const struct pm_page_line *line)
{
	__atomic_store_n(&page->tsc_base, line->tsc_base, __ATOMIC_RELAXED);
	__atomic_store_n(&page->ticks, line->ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&page->fraction, line->fraction, __ATOMIC_RELAXED);
	__atomic_store_n(&page->multiplier, line->multiplier, __ATOMIC_RELAXED);
}

static void add_to_version(struct tk_pm_page *page)
{
	__atomic_store_n(&page->version, page->version + 1, __ATOMIC_SEQ_CST);
}

/*
 * The TSC at which the new line takes over is read while the version is odd: whoever
 * has read by the old line did so before, and whoever reads by the new one will after.
 */
static void refresh(void *opaque)
{
	struct machine *machine = opaque;
	struct machine_pm_page *pm_page = &machine->pm_page;
	struct pm_page_sample sample = take_sample(machine);

	add_to_version(pm_page->page);
	pm_page_refresh(&pm_page->line, &sample, host_tsc() + pm_page->tsc_offset);
	write_line(pm_page->page, &pm_page->line);
	add_to_version(pm_page->page);

	pm_page->interval_ns *= 2;
	if (pm_page->interval_ns > PM_PAGE_REFRESH_MAX_NS)
		pm_page->interval_ns = PM_PAGE_REFRESH_MAX_NS;
	event_timer_arm(&pm_page->refresh,
			virtual_clock_ns(&machine->board.clock) + pm_page->interval_ns);
}

int machine_pm_page_start(struct machine *machine, struct error *e)
{
	struct machine_pm_page *pm_page = &machine->pm_page;
	struct pm_page_sample sample;

	if (!pm_page->page)
		return 0;
	if (!machine->tsc_khz)
		return error_set(e, TK_EXIT_SKIPPED,
				 "--pmtimer=exitless: KVM does not state the TSC's frequency");
	if (machine_tsc_offset(machine, MAP_PM_PAGE_BASE, (uint8_t *)pm_page->page,
			       &pm_page->tsc_offset, e))
		return -1;
	memset(pm_page->page, 0, PAGE_BYTES);
	sample = take_sample(machine);
	pm_page_start(&pm_page->line, &sample, machine->tsc_khz);
	write_line(pm_page->page, &pm_page->line);
	pm_page->page->flags = MUTANT(exitless_falls_back) ? 0 : TK_PM_PAGE_VALID;

	pm_page->interval_ns = PM_PAGE_REFRESH_FIRST_NS;
	pm_page->refresh = machine_timers_add(&machine->timers, "pm-page", refresh, machine, NULL);
	event_timer_arm(&pm_page->refresh,
			virtual_clock_ns(&machine->board.clock) + pm_page->interval_ns);
	return 0;
}
