/*
 * The machine's devices: which chips there are, where, and what they are wired to.
 */
#ifndef TICKVM_BOARD_H
#define TICKVM_BOARD_H

#include <pthread.h>

#include "devices/clock.h"
#include "devices/debug_exit.h"
#include "devices/fw_cfg.h"
#include "devices/line.h"
#include "devices/pair.h"
#include "devices/pm1.h"
#include "devices/pmtimer.h"
#include "devices/rtc.h"
#include "devices/uart.h"
#include "loader/loader.h"
#include "pair_host.h"

struct console;
struct error;
struct machine;

struct board {
	struct vclock clock; /* virtual time: 0 at power-on, then as the host's monotonic clock */
	struct irq_line com1_line, sci_line;
	pthread_mutex_t uart_lock, rtc_lock, pm1_lock, fw_cfg_lock; /* each guards its chip */
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

/* Bytes from the terminal to COM1; how many had room. */
unsigned board_input(struct board *board, const uint8_t *bytes, unsigned count);

#endif
