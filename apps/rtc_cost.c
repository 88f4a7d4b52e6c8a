/*
 * rtc, test cost: loops of equal length around one byte read from a port. What each costs
 * beside the other is counted by the VMM, by phase:
 *
 *   null-port    the pair's null register: the cheapest port in the VMM
 *   data         the data port, its index at the seconds
 *   c            the data port, its index at register C
 *   elcr         ELCR1, in KVM with KVM's PIC
 */
#include <stddef.h>
#include <stdio.h>

#include "drivers/acpi.h"
#include "drivers/rtc.h"
#include "exit_loop.h"
#include "kernel/io.h"
#include "kernel/ktap.h"
#include "kernel/pair.h"
#include "rtc.h"

#define PORT_ELCR1 0x4d0
#define NO_INDEX   0xff

EXIT_LOOP(read_byte, "inb	%%dx, %%al")

static void run(const char *name, uint8_t index, uint16_t port, uint64_t n)
{
	const struct operands operands = {.rdx = port};
	char phase[TK_NAME_SIZE];

	snprintf(phase, sizeof(phase), "rtc.cost.%s", name);
	if (index != NO_INDEX)
		out8(RTC_INDEX_PORT, index);
	pair_phase_begin(phase);
	read_byte(n, &operands);
	pair_phase_end(phase, n);
}

void rtc_cost(const struct rtc_keys *keys)
{
	rtc_enable(0);
	if (pair_present())
		run("null-port", NO_INDEX, (uint16_t)(pair_table()->io_base + TK_REG_NULL),
		    keys->n);
	run("data", RTC_SECONDS, RTC_DATA_PORT, keys->n);
	run("c", RTC_C, RTC_DATA_PORT, keys->n);
	if (!acpi_info()->no_8259)
		run("elcr", NO_INDEX, PORT_ELCR1, keys->n);
	ktap_result(rtc_register(RTC_D) & 0x80, "cost: the chip says that its time is valid");
}
