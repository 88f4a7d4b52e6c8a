/*
 * MC146818A real-time clock: its date and time, its registers, and its interrupt, IRQ 8.
 */
#ifndef TICKVM_DRIVERS_RTC_H
#define TICKVM_DRIVERS_RTC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/irq.h"

struct rtc_time {
	unsigned year;	/* all four digits */
	unsigned month; /* 1 to 12 */
	unsigned day;	/* 1 to 31 */
	unsigned hour, minute, second;
};

bool rtc_present(void);

/* -1: no chip, it never came out of an update, or it shows no date. */
int rtc_read(struct rtc_time *time);

/* Seconds since 1970, in the clock's own zone. */
int64_t rtc_to_seconds(const struct rtc_time *time);

/* Both in one: seconds since 1970, or -1. */
int64_t rtc_seconds(void);

/* ---- registers (data sheet, "Address map") ---- */

enum rtc_index {
	RTC_SECONDS = 0x00,
	RTC_SECONDS_ALARM = 0x01,
	RTC_MINUTES = 0x02,
	RTC_MINUTES_ALARM = 0x03,
	RTC_HOURS = 0x04,
	RTC_HOURS_ALARM = 0x05,
	RTC_WEEKDAY = 0x06,
	RTC_DAY = 0x07,
	RTC_MONTH = 0x08,
	RTC_YEAR = 0x09,
	RTC_A = 0x0a,
	RTC_B = 0x0b,
	RTC_C = 0x0c,
	RTC_D = 0x0d,
};

#define RTC_A_UIP	    0x80
#define RTC_A_DIVIDER	    0x20 /* 32768 Hz */
#define RTC_A_DIVIDER_RESET 0x60
#define RTC_B_SET	    0x80
#define RTC_B_BINARY	    0x04
#define RTC_B_24_HOURS	    0x02
#define RTC_C_IRQF	    0x80
#define RTC_HOURS_PM	    0x80 /* in 12-hour mode */
#define RTC_ALARM_ANY	    0xc0

/* Flags of register C, and at the same places their enables in register B. */
#define RTC_PF 0x40 /* periodic */
#define RTC_AF 0x20 /* alarm */
#define RTC_UF 0x10 /* update ended */

/* Ports, for what must be nothing but an access; index and data are one under no lock then. */
#define RTC_INDEX_PORT 0x70
#define RTC_DATA_PORT  0x71

/* One byte of the chip's memory; index 0 to 127. All ones without a chip. */
uint8_t rtc_register(uint8_t index);
void rtc_set_register(uint8_t index, uint8_t value);

/* Sets the periodic rate RS, 0 to 15, with the divider running; and what it makes, in Hz, 0 for
 * none. */
void rtc_set_rate(unsigned rate);
unsigned rtc_rate_hz(unsigned rate);

/* ---- IRQ 8 ---- */

/*
 * Handler of the interrupt, on this CPU. It must read register C, or no further one comes.
 * -1: there is no way for it. rtc_irq_move() lets another CPU take it, at any moment.
 */
int rtc_irq_attach(irq_handler *handler, void *argument);
void rtc_irq_move(uint32_t apic_id);
void rtc_irq_detach(void);

/* These of RTC_PF, RTC_AF and RTC_UF raise it, and no others. */
void rtc_enable(uint8_t interrupts);

#endif
