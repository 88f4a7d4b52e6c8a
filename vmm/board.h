/*
 * The machine's devices: which chips there are, where, and what they are wired to.
 */
#ifndef TICKVM_BOARD_H
#define TICKVM_BOARD_H

#include <pthread.h>
#include <stdbool.h>

#include "devices/debug_exit.h"
#include "devices/event_timer.h"
#include "devices/fw_cfg.h"
#include "devices/line.h"
#include "devices/pair.h"
#include "devices/pm1.h"
#include "devices/pmtimer.h"
#include "devices/rtc.h"
#include "devices/uart.h"
#include "irqchip.h"
#include "loader/loader.h"
#include "pair_host.h"
#include "virtual_clock.h"

struct config;
struct console;
struct error;
struct machine;

struct board {
	struct virtual_clock clock;
	struct irq_line com1_line, sci_line;
	struct irq_resample sci_resample; /* with --sci=irqfd */
	struct irq_edge rtc_edge;
	struct irq_line rtc_wire; /* to the interrupt controllers */
	struct irq_line rtc_line; /* rtc_wire, or that under the big lock */
	struct event_timer pm1_event, rtc_event, clock_step_event;
	unsigned clock_step; /* index of the next of config.clock_steps; guarded as the RTC is */

	/*
	 * Each guards its chip. The PM timer's and the RTC's are used with --lock=device
	 * only: they can do without. With --lock=big, big_lock stands in for them all, and
	 * guards every other port and MMIO address too, and the main loop while it works, as
	 * QEMU's big lock does. With --raise-lock=big the main loop holds it, too, but for
	 * the timers, and the RTC's interrupt is raised under it.
	 *
	 * Order: that of the virtual time's thread; the RTC's; big_lock; PM1's; the timers'
	 * own. No two others are held together.
	 */
	pthread_mutex_t uart_lock, rtc_lock, pm1_lock, pmtimer_lock, fw_cfg_lock;
	pthread_mutex_t big_lock;
	bool is_big, main_is_big;

	struct uart uart;
	struct pmtimer pmtimer;
	struct rtc rtc;
	struct pm1 pm1;
	struct debug_exit debug_exit;
	struct fw_cfg fw_cfg; /* multiboot1 only: the pair's guests have ACPI */
	struct pair pair;     /* multiboot2 only */
	struct pair_host pair_host;
};

/* Powers the machine on: virtual time begins. */
int board_init(struct machine *machine, enum boot_protocol protocol, struct console *console,
	       struct error *e);

/* With --lock=big: guards all that is on the buses by that lock. After the last region. */
void board_lock_all(struct machine *machine);

/* board_rtc.c: the RTC and what it is wired to; its lock, NULL for none. */
int board_init_rtc(struct machine *machine, struct error *e);
pthread_mutex_t *board_rtc_lock(struct board *board, const struct config *config);

/* The wall clock that the RTC follows was set. */
void board_wall_clock_stepped(struct machine *machine, int64_t step_ns);

/* Bytes from the terminal to COM1; how many had room. */
unsigned board_input(struct board *board, const uint8_t *bytes, unsigned count);

#endif
