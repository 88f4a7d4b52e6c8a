/*
 * ACPI power management timer, 3.579545 MHz, 24 or 32 bits (ACPI 6.5 § 4.8.3.3).
 */
#include "drivers/pmtimer.h"

#include "drivers/acpi.h"
#include "drivers/table.h"
#include "kernel/clock.h"
#include "kernel/io.h"

#define RATING 200

static uint16_t port;
static uint32_t mask; /* of the counter: the upper 8 bits of a 24-bit timer are undefined */

bool pmtimer_present(void)
{
	return port != 0;
}

unsigned pmtimer_width(void)
{
	return port ? acpi_info()->pm_timer_width : 0;
}

uint16_t pmtimer_port(void)
{
	return port;
}

uint32_t pmtimer_ticks(void)
{
	return port ? in32(port) & mask : 0;
}

static uint64_t read_counter(void)
{
	return in32(port) & mask;
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

void pmtimer_probe(void)
{
	port = acpi_info()->pm_timer_port;
	if (!port)
		return;
	pmtimer_clock.width = acpi_info()->pm_timer_width;
	mask = UINT32_MAX >> (32 - pmtimer_clock.width);
	clock_register(&pmtimer_clock);
}
