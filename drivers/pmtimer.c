/*
 * ACPI power management timer, 3.579545 MHz, 24 or 32 bits (ACPI 6.5 § 4.8.3.3).
 *
 * Under tickvm with --pmtimer=exitless the VMM gives a page (struct tk_pm_page, abi.h)
 * from which the TSC yields the same counter. It changes under its version, which is
 * odd meanwhile; readers take no lock and write nothing.
 */
#include "drivers/pmtimer.h"

#include "drivers/acpi.h"
#include "drivers/table.h"
#include "kernel/app.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define RATING 200

static uint16_t port;
static uint32_t mask; /* of the counter: the upper 8 bits of a 24-bit timer are undefined */
static const volatile struct tk_pm_page *page; /* NULL: none */

bool pmtimer_present(void)
{
	return port != 0;
}

unsigned pmtimer_width(void)
{
	return port ? acpi_info()->pm_timer_width : 0;
}

uint32_t pmtimer_mask(void)
{
	return mask;
}

uint16_t pmtimer_port(void)
{
	return port;
}

uint32_t pmtimer_port_ticks(void)
{
	return port ? in32(port) & mask : 0;
}

/* The counter's value at `tsc`, by a page that may be changing. */
static uint64_t page_ticks_at(const volatile struct tk_pm_page *from, uint64_t tsc)
{
	uint64_t elapsed = tsc - from->tsc_base;
	unsigned __int128 ticks;

	/* This CPU's TSC may be a little behind that of the CPU which set the base. */
	if ((int64_t)elapsed < 0)
		elapsed = 0;
	ticks = (unsigned __int128)elapsed * from->multiplier + from->fraction;
	return from->ticks + (uint64_t)(ticks >> 64);
}

static bool page_changed(const volatile struct tk_pm_page *from, uint32_t version)
{
	if (MUTANT(pmpage_unversioned))
		return false;
	return version & 1 || version != from->version;
}

/*
 * The fence in front of RDTSC keeps the TSC behind the first version. Loads stay in
 * order among themselves, so that all fields lie between the two versions; that RDTSC
 * may come after the second one is as if the reader had been a little later.
 * false: the page is not valid.
 */
static bool read_page(const volatile struct tk_pm_page *from, uint32_t *ticks)
{
	uint32_t version, flags;

	do {
		version = from->version;
		flags = from->flags;
		*ticks = page_ticks_at(from, rdtsc_ordered()) & mask;
	} while (page_changed(from, version));
	return flags & TK_PM_PAGE_VALID;
}

static uint32_t read_ticks(void)
{
	uint32_t ticks;

	if (page && !MUTANT(pmpage_unused) && read_page(page, &ticks))
		return ticks;
	return in32(port) & mask;
}

uint32_t pmtimer_ticks(void)
{
	return port ? read_ticks() : 0;
}

const char *pmtimer_method(void)
{
	uint32_t ticks;

	if (!port)
		return "none";
	return page && read_page(page, &ticks) ? "page" : "port";
}

static uint64_t read_counter(void)
{
	return read_ticks();
}

static uint64_t frequency(void)
{
	return PMTIMER_HZ;
}

static struct clock_source pmtimer_clock = {
	.name = "pmtimer",
	.rating = RATING,
	.read = read_counter,
	.frequency = frequency,
};

/* The page counts as the register does, so that it needs the FADT's width beside it. */
static void find_page(void)
{
	const struct tk_acpi_body *pair = pair_table();
	uint64_t address = pair ? pair->pm_page_base : 0;

	if (address && address <= ACPI_REACH_END - sizeof(*page))
		page = (const volatile struct tk_pm_page *)address;
}

void pmtimer_probe(void)
{
	port = acpi_info()->pm_timer_port;
	if (!port)
		return;
	pmtimer_clock.width = acpi_info()->pm_timer_width;
	mask = UINT32_MAX >> (32 - pmtimer_clock.width);
	find_page();
	clock_register(&pmtimer_clock);
}
