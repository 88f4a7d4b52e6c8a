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

struct console;
struct error;
struct machine;

struct board {
	struct virtual_clock clock;
	struct irq_line com1_line, sci_line;
	struct irq_resample sci_resample; /* with --sci=irqfd */
	struct event_timer pm1_event;

	/*
	 * Each guards its chip. The PM timer's is used with --lock=device only: it can do
	 * without. With --lock=big, big_lock stands in for them all, and guards every
	 * other port and MMIO address too, as QEMU's big lock does.
	 */
	pthread_mutex_t uart_lock, rtc_lock, pm1_lock, pmtimer_lock, fw_cfg_lock;
	pthread_mutex_t big_lock;
	bool is_big;

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

/* Bytes from the terminal to COM1; how many had room. */
unsigned board_input(struct board *board, const uint8_t *bytes, unsigned count);

#endif
