/*
 * UART: a National Semiconductor PC16550D (16550A) at a PC's COM port.
 *
 * The wire is infinitely fast: a byte written to THR is out before the write
 * returns, and received bytes wait outside until the FIFO has room. So THRE and
 * TEMT always read 1, and only a looped-back transmitter can overrun the receiver.
 *
 * INTR is the chip's own pin. The gate that PC boards put behind it (OUT2) is left
 * out, as most virtual machines do: guests written for those do not set OUT2.
 */
#ifndef TICKVM_DEVICES_UART_H
#define TICKVM_DEVICES_UART_H

#include "bus.h"
#include "line.h"

#define UART_PORTS	8
#define UART_FIFO_BYTES 16

struct uart_state {
	uint8_t ier, fcr, lcr, mcr, scr;
	uint8_t dll, dlm;
	uint8_t modem_deltas; /* low half of MSR */
	bool overrun;	      /* LSR.OE */
	bool thr_emptied;     /* the transmitter's request, not yet acknowledged */
	bool interrupt;	      /* level of INTR */
	uint8_t first, count; /* of received[], a ring */
	uint8_t received[UART_FIFO_BYTES];
};

/*
 * Guarded by the lock that uart_region() is given: the bus holds it in accesses,
 * the caller of uart_input() must. `output` and the line are called under it.
 */
struct uart {
	struct uart_state state;
	const struct irq_line *line;
	void (*output)(void *opaque, const uint8_t *bytes, unsigned count);
	void *opaque;
};

void uart_init(struct uart *uart, const struct irq_line *line,
	       void (*output)(void *opaque, const uint8_t *bytes, unsigned count), void *opaque);

struct bus_region uart_region(struct uart *uart, uint16_t base, pthread_mutex_t *lock);

/*
 * Receives bytes from the wire; gives how many were taken, in order from the first.
 * The rest had no room: the caller keeps them and tries again. Caller holds the lock.
 */
unsigned uart_input(struct uart *uart, const uint8_t *bytes, unsigned count);

#endif
