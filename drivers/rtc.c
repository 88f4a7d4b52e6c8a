/*
 * MC146818A real-time clock (MC146818A data sheet, "Time, calendar and alarm locations",
 * "Update cycle", "Interrupts").
 *
 * The chip may be in the middle of an update. UIP = 0 promises 244 µs without
 * one, which a slow reader can exceed: so the time is read until it is the same
 * twice. Only then is it decoded: BCD or binary, 12 or 24 hours, as register B says.
 */
#include "drivers/rtc.h"

#include <string.h>

#include "drivers/acpi.h"
#include "drivers/ioapic.h"
#include "drivers/rtc_clock.h"
#include "drivers/table.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/lock.h"

#define INDEX_MASK 0x7f /* bit 7 would mask NMI: always 0 here */
#define ISA_IRQ	   8

/* Some 100 ms of port reads on real hardware; an update takes 2 ms. */
#define UIP_READS_MAX 100000
#define READINGS_MAX  100

#define NO_CENTURY_YEARS 2000 /* of a chip without a century byte */
#define SECONDS_PER_DAY	 86400

/* The registers as they are. */
struct reading {
	uint8_t second, minute, hour, day, month, year, century, reg_b;
};

static bool present;
static struct spin_lock lock; /* index and data are one access */

uint8_t rtc_register(uint8_t index)
{
	bool irqs_on = spin_lock(&lock);
	uint8_t value;

	out8(RTC_INDEX_PORT, index & INDEX_MASK);
	value = in8(RTC_DATA_PORT);
	spin_unlock(&lock, irqs_on);
	return value;
}

void rtc_set_register(uint8_t index, uint8_t value)
{
	bool irqs_on = spin_lock(&lock);

	out8(RTC_INDEX_PORT, index & INDEX_MASK);
	out8(RTC_DATA_PORT, value);
	spin_unlock(&lock, irqs_on);
}

bool rtc_present(void)
{
	return present;
}

static bool wait_no_update(void)
{
	for (unsigned i = 0; i < UIP_READS_MAX; i++)
		if (!(rtc_register(RTC_A) & RTC_A_UIP))
			return true;
	return false;
}

static struct reading read_registers(void)
{
	uint8_t century_index = acpi_info()->century_index;

	return (struct reading){
		.second = rtc_register(RTC_SECONDS),
		.minute = rtc_register(RTC_MINUTES),
		.hour = rtc_register(RTC_HOURS),
		.day = rtc_register(RTC_DAY),
		.month = rtc_register(RTC_MONTH),
		.year = rtc_register(RTC_YEAR),
		.century = century_index ? rtc_register(century_index) : 0,
		.reg_b = rtc_register(RTC_B),
	};
}

/* The same reading twice in a row, each begun outside an update. */
static int read_stable(struct reading *reading)
{
	struct reading last;

	if (!wait_no_update())
		return -1;
	last = read_registers();
	for (unsigned i = 0; i < READINGS_MAX; i++) {
		if (!wait_no_update())
			return -1;
		*reading = read_registers();
		if (memcmp(reading, &last, sizeof(last)) == 0)
			return 0;
		last = *reading;
	}
	return -1;
}

static unsigned decode(uint8_t value, uint8_t reg_b)
{
	return reg_b & RTC_B_BINARY ? value : (value >> 4) * 10 + (value & 0xf);
}

/* 12 AM is hour 0 and 12 PM is hour 12. The PM bit is no part of the number. */
static unsigned decode_hour(uint8_t value, uint8_t reg_b)
{
	unsigned hour;

	if (reg_b & RTC_B_24_HOURS)
		return decode(value, reg_b);
	hour = decode(value & ~RTC_HOURS_PM, reg_b) % 12;
	return value & RTC_HOURS_PM ? hour + 12 : hour;
}

static bool is_time(const struct rtc_time *time)
{
	return time->month >= 1 && time->month <= 12 && time->day >= 1 && time->day <= 31 &&
	       time->hour < 24 && time->minute < 60 && time->second < 60;
}

int rtc_read(struct rtc_time *time)
{
	struct reading reading;

	if (!present || read_stable(&reading) < 0)
		return -1;
	*time = (struct rtc_time){
		.year = decode(reading.year, reading.reg_b),
		.month = decode(reading.month, reading.reg_b),
		.day = decode(reading.day, reading.reg_b),
		.hour = decode_hour(reading.hour, reading.reg_b),
		.minute = decode(reading.minute, reading.reg_b),
		.second = decode(reading.second, reading.reg_b),
	};
	if (reading.century)
		time->year += 100 * decode(reading.century, reading.reg_b);
	else
		time->year += NO_CENTURY_YEARS;
	return is_time(time) ? 0 : -1;
}

/* Days since 1 January 1970, for any Gregorian date after 1 March of the year 0. */
static int64_t days_since_1970(unsigned year, unsigned month, unsigned day)
{
	/* In years that begin in March the leap day comes last, and months have a pattern. */
	unsigned march_year = month > 2 ? year : year - 1;
	unsigned march_month = (month + 9) % 12; /* March: 0 */
	int64_t days = 365ll * march_year + march_year / 4 - march_year / 100 + march_year / 400;

	days += (153 * march_month + 2) / 5; /* months of 31, 30, 31, 30 and 31 days: 153 */
	return days + day - 1 - 719468;	     /* from 1 March 0 to 1 January 1970 */
}

int64_t rtc_to_seconds(const struct rtc_time *time)
{
	return days_since_1970(time->year, time->month, time->day) * SECONDS_PER_DAY +
	       time->hour * 3600 + time->minute * 60 + time->second;
}

int64_t rtc_seconds(void)
{
	struct rtc_time time;

	return rtc_read(&time) < 0 ? -1 : rtc_to_seconds(&time);
}

/* ---- the interrupt ------------------------------------------------------- */

static unsigned irq_gsi(void)
{
	return acpi_isa_gsi(ISA_IRQ);
}

void rtc_set_rate(unsigned rate)
{
	rtc_set_register(RTC_A, RTC_A_DIVIDER | (uint8_t)rate);
}

unsigned rtc_rate_hz(unsigned rate)
{
	if (!rate)
		return 0;
	return rate <= 2 ? 512u >> rate : 65536u >> rate;
}

void rtc_enable(uint8_t interrupts)
{
	uint8_t others = rtc_register(RTC_B) & (uint8_t) ~(RTC_PF | RTC_AF | RTC_UF);

	rtc_set_register(RTC_B, others | interrupts);
}

/* What was pending before is not the handler's: the line must be low to rise. */
int rtc_irq_attach(irq_handler *handler, void *argument)
{
	uint8_t vector = (uint8_t)(IRQ_VECTOR_GSI + irq_gsi());

	if (!present || !irq_chip())
		return -1;
	rtc_enable(0);
	rtc_register(RTC_C);
	irq_attach(vector, handler, argument);
	if (ioapic_route(irq_gsi(), vector, irq_chip()->apic_id()) != 0)
		return -1;
	return ioapic_unmask(irq_gsi());
}

void rtc_irq_move(uint32_t apic_id)
{
	ioapic_move(irq_gsi(), apic_id);
}

/* One that was under way when its input was masked, and is taken when interrupts are on again. */
static void drop(void *argument)
{
	rtc_register(RTC_C);
}

void rtc_irq_detach(void)
{
	rtc_enable(0);
	ioapic_mask(irq_gsi());
	rtc_register(RTC_C);
	irq_attach((uint8_t)(IRQ_VECTOR_GSI + irq_gsi()), drop, NULL);
}

void rtc_probe(void)
{
	/* Register A cannot be all ones: its divider field has no such setting. */
	present = rtc_register(RTC_A) != 0xff;
	if (!present)
		return;
	clock_wall_register(rtc_seconds);
	rtc_clock_register();
}
