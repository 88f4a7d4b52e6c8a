/*
 * pmtimer, test cost (BC-02): the driver's reading in a loop, and loops of the same shape
 * around other readings. The VMM counts their exits and CPU time by phase; what each is
 * worth beside another is judged there.
 *
 *   empty        a function that reads nothing
 *   rdtsc        the TSC, ordered
 *   null-port    the pair's null register: the cheapest port in the VMM
 *   kernel-port  ELCR1, in KVM with KVM's PIC
 *   port         the PM timer's, whatever the driver reads; as many instructions as null-port
 *   driver       what the driver reads: port or page
 */
#include "pmtimer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/acpi.h"
#include "drivers/pmtimer.h"
#include "kernel/app.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"

#define PORT_ELCR1  0x4d0
#define SINGLES_MAX 65536

static uint32_t read_nothing(void)
{
	return 0;
}

static uint32_t read_tsc(void)
{
	return (uint32_t)rdtsc_ordered();
}

static uint16_t null_port, timer_port;

static uint32_t read_null_port(void)
{
	return in32(null_port);
}

static uint32_t read_timer_port(void)
{
	return in32(timer_port);
}

static uint32_t read_kernel_port(void)
{
	return in8(PORT_ELCR1);
}

static const struct kind {
	const char *name;
	uint32_t (*read)(void);
} kinds[] = {
	{"empty", read_nothing},	   {"rdtsc", read_tsc},	      {"null-port", read_null_port},
	{"kernel-port", read_kernel_port}, {"port", read_timer_port}, {"driver", pmtimer_ticks},
};

static bool is_there(const struct kind *kind)
{
	if (kind->read == read_null_port)
		return pair_present();
	return kind->read != read_kernel_port || !acpi_info()->no_8259;
}

static void run_kind(const struct kind *kind, uint64_t n)
{
	char name[TK_NAME_SIZE];

	snprintf(name, sizeof(name), "pmtimer.cost.%s", kind->name);
	pair_phase_begin(name);
	for (uint64_t i = 0; i < n; i++)
		kind->read();
	pair_phase_end(name, n);
}

/* TSC ticks of single readings, the two of the TSC included. */
static void send_singles(uint64_t n)
{
	uint32_t count = n < SINGLES_MAX ? (uint32_t)n : SINGLES_MAX;
	uint64_t *ticks = malloc(count * sizeof(*ticks));

	if (!ticks)
		app_exit(TK_EXIT_SKIPPED, "pmtimer: no memory for %u samples", (unsigned)count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t start = rdtsc_ordered();

		pmtimer_ticks();
		ticks[i] = rdtsc_ordered() - start;
	}
	pair_samples("pmtimer.cost.single", "tsc", ticks, count, sizeof(*ticks));
	free(ticks);
}

void pmtimer_cost(const struct pmtimer_keys *keys)
{
	uint32_t start = pmtimer_ticks(), passed;

	timer_port = pmtimer_port();
	if (pair_present())
		null_port = (uint16_t)(pair_table()->io_base + TK_REG_NULL);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (is_there(&kinds[i]))
			run_kind(&kinds[i], keys->n);
	}
	send_singles(keys->n);
	passed = (pmtimer_ticks() - start) & pmtimer_mask();
	ktap_note("cost: %" PRIu64 " reads of each kind: ticks passed: measured %" PRIu32
		  ", bound at least 1",
		  keys->n, passed);
	ktap_result(passed >= 1, "cost: the counter went on");
}
