/*
 * Clock sources and the time that newlib's calls read from the chosen one.
 *
 * A driver registers its counter; `clock=NAME` on the command line picks, else
 * the best registered by rating. Conversion is exact 128-bit arithmetic from the
 * first reading on. A source narrower than 64 bits is extended by being read at
 * least every half wrap; whoever halts for long goes through clock_sleep_until().
 */
#ifndef TICKVM_CLOCK_H
#define TICKVM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock_source {
	const char *name;	/* "pmtimer", "tsc", "kvmclock", "pit" */
	unsigned rating;	/* the higher the better */
	unsigned width;		/* bits of the counter, 16 to 64 */
	uint32_t error_ns;	/* that one reading may be off beside its own step; 0: none */
	uint64_t (*read)(void); /* the counter; any CPU */
	/* Hz, exact as far as known; 0: unusable. Asked once, may calibrate. */
	uint64_t (*frequency)(void);
};

/* Registers; the struct must live for ever. */
void clock_register(const struct clock_source *source);

/* Chooses by name (NULL: by rating). -1: no such source; clock_names() lists them. */
int clock_select(const char *name);
const struct clock_source *clock_find(const char *name); /* NULL: none */
const struct clock_source *clock_selected(void);
const char *clock_names(void); /* "pmtimer tsc kvmclock pit" */

/* ns of the chosen source since its first reading; never decreases on one CPU. */
uint64_t clock_now_ns(void);

/* The timer that wakes a sleeping CPU, registered by the lapic driver. */
struct clock_event {
	const char *name;
	/* One interrupt IRQ_VECTOR_TIMER on this CPU, not before delay_ns. */
	void (*arm_ns)(uint64_t delay_ns);
	void (*stop)(void);
};
void clock_event_register(const struct clock_event *event);

/* Halts this CPU until clock_now_ns() >= deadline_ns. A deadline in the past returns at once. */
void clock_sleep_until(uint64_t deadline_ns);

/*
 * One such halt, called and left with interrupts off: returns after any interrupt,
 * true if there was time left before. For whoever waits for something else as well.
 */
bool clock_doze_until(uint64_t deadline_ns);

/* Seconds since 1970 from the RTC driver, read once, at the first need. */
void clock_wall_register(int64_t (*read_seconds)(void));

/* ns since 1970; without an RTC, since the clock's first reading. */
int64_t clock_wall_ns(void);

#endif
