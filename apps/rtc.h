/*
 * rtc: its tests, a file each, and what they share.
 */
#ifndef TICKVM_APPS_RTC_H
#define TICKVM_APPS_RTC_H

#include <stdbool.h>
#include <stdint.h>

/* The command line's, checked. */
struct rtc_keys {
	uint64_t n;	  /* turns, ticks, accesses: each test says which */
	uint64_t seconds; /* that a test watches */
	bool all_hours;	  /* `format` goes through 24 of them, not 4 */
};

/* Each gives as many results as its line in rtc.c says. */
void rtc_uip(const struct rtc_keys *keys);
void rtc_set(const struct rtc_keys *keys);
void rtc_rate(const struct rtc_keys *keys);
void rtc_retarget(const struct rtc_keys *keys);
void rtc_format(const struct rtc_keys *keys);
void rtc_flags(const struct rtc_keys *keys);
void rtc_hammer(const struct rtc_keys *keys);
void rtc_ticks(const struct rtc_keys *keys);
void rtc_year(const struct rtc_keys *keys);
void rtc_fixed(const struct rtc_keys *keys);
void rtc_cost(const struct rtc_keys *keys);

/* ---- rtc_wait.c: IRQ 8 for a test ---- */

/* What the handler has counted since rtc_irq_begin(), and the flags that it read last. */
extern volatile uint32_t rtc_irqs, rtc_ticks_seen, rtc_empty_irqs;
extern volatile uint8_t rtc_flags_seen; /* all of them, or-ed; a test clears it */

/* Attaches the handler. False, with `count` results skipped: there is no way for the interrupt. */
bool rtc_irq_begin(const char *const *names, unsigned count);
void rtc_irq_end(void);

/*
 * Halts until one of these flags was seen, and clears it: false after `patience_s` seconds.
 * The interrupt must be enabled.
 */
bool rtc_wait(uint8_t flags, unsigned patience_s);

/* The best clock there is: the host's, else the guest's own. */
uint64_t rtc_test_ns(void);

static inline uint8_t rtc_bcd(unsigned n)
{
	return (uint8_t)(n / 10 << 4 | n % 10);
}

#endif
