/*
 * The exit-less PM timer (--pmtimer=exitless): struct tk_pm_page in a page of guest
 * memory that the guest can only read, kept to the clock that the port is read from.
 * The port stays, for guests that do not know the page.
 */
#ifndef TICKVM_MACHINE_PM_PAGE_H
#define TICKVM_MACHINE_PM_PAGE_H

#include <stdint.h>

#include "devices/event_timer.h"
#include "pm_page.h"

struct error;
struct machine;
struct tk_pm_page;

/* Written before the vCPUs run, then by the thread that serves the machine's timers. */
struct machine_pm_page {
	struct tk_pm_page *page; /* NULL: there is none */
	uint64_t tsc_offset;	 /* what the guest's TSC is ahead of the host's */
	struct pm_page_line line;
	struct event_timer refresh;
	uint64_t interval_ns; /* from this line to the next */
};

/* The page and its memory slot, where the configuration wants it. -1, exit code 77: not here. */
int machine_pm_page_create(struct machine *machine, struct error *e);
void machine_pm_page_free(struct machine_pm_page *pm_page);

/* The first line. After board_init(), and before vCPU 0 gets its entry: it runs it for a moment. */
int machine_pm_page_start(struct machine *machine, struct error *e);

/* machine_tsc.c: what the guest's TSC is ahead of the host's; -1, exit code 77: not a constant. */
int machine_tsc_offset(const struct machine *machine, uint64_t code_address, uint8_t *code,
		       uint64_t *offset, struct error *e);

/* The host's TSC, read neither earlier nor later than it stands in the program. */
static inline uint64_t host_tsc(void)
{
	uint64_t tsc;

	__builtin_ia32_mfence();
	__builtin_ia32_lfence();
	tsc = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return tsc;
}

#endif
