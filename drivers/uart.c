/*
 * 16550A UART at COM1, 115200 8N1: the console (PC16550D data sheet, ch. 8).
 *
 * Output is polled, so that it works with interrupts off and from a fault. When
 * the transmitter says that it is empty its FIFO takes 16 bytes: one look at the
 * status and one string instruction for all of them.
 *
 * No lock: kernel/console.c lets one CPU at a time write.
 */
#include "drivers/uart.h"

#include "drivers/table.h"
#include "kernel/console.h"
#include "kernel/driver.h"
#include "kernel/io.h"

#define COM1_PORT 0x3f8

enum {
	DATA = COM1_PORT + 0,	      /* read: RBR, write: THR */
	DIVISOR_LOW = COM1_PORT + 0,  /* with LCR_DIVISOR */
	DIVISOR_HIGH = COM1_PORT + 1, /* with LCR_DIVISOR */
	IER = COM1_PORT + 1,
	IIR = COM1_PORT + 2, /* read */
	FCR = COM1_PORT + 2, /* write */
	LCR = COM1_PORT + 3,
	MCR = COM1_PORT + 4,
	LSR = COM1_PORT + 5,
	SCRATCH = COM1_PORT + 7,
};

#define IIR_NONE       0x01
#define IIR_CAUSE_MASK 0x0e
#define IIR_TRANSMIT   0x02
#define IIR_RECEIVE    0x04
#define IIR_TIMEOUT    0x0c
#define IIR_FIFO       0xc0
#define FCR_ENABLE     0x01
#define FCR_CLEAR      0x06 /* both FIFOs */
#define LCR_8N1	       0x03
#define LCR_DIVISOR    0x80
#define MCR_DTR_RTS    0x03
#define MCR_OUT2       0x08 /* on a PC, the gate between the chip and its interrupt line */
#define LSR_RECEIVED   0x01
#define LSR_EMPTY      0x20 /* THRE */

#define CLOCK_HZ  1843200 /* the chip divides it by 16 first */
#define BAUD	  115200
#define FIFO_SIZE 16

#define SCRATCH_PATTERN 0x5a

static unsigned transmit_size; /* bytes an empty transmitter takes; 0: no chip */

/*
 * The wait has no bound: output is why we run, and a host may hold it back for
 * long (a full pipe). A chip that is gone reads all ones, which is "empty".
 */
static void uart_write(const char *data, size_t length)
{
	while (length) {
		size_t chunk = length < transmit_size ? length : transmit_size;

		while (!(in8(LSR) & LSR_EMPTY))
			cpu_pause();
		out8_string(DATA, data, chunk);
		data += chunk;
		length -= chunk;
	}
}

static int uart_read(void)
{
	return in8(LSR) & LSR_RECEIVED ? in8(DATA) : -1;
}

static const struct console uart_console = {.write = uart_write, .read = uart_read};

bool uart_present(void)
{
	return transmit_size != 0;
}

void uart_set_causes(uint8_t causes)
{
	if (uart_present())
		out8(IER, causes);
}

uint8_t uart_pending_cause(void)
{
	uint8_t iir = in8(IIR);

	if (iir & IIR_NONE)
		return 0;
	switch (iir & IIR_CAUSE_MASK) {
	case IIR_TRANSMIT:
		return UART_CAUSE_TRANSMIT;
	case IIR_RECEIVE:
	case IIR_TIMEOUT:
		return UART_CAUSE_RECEIVE;
	default:
		return 0;
	}
}

void uart_probe(void)
{
	out8(SCRATCH, SCRATCH_PATTERN);
	if (in8(SCRATCH) != SCRATCH_PATTERN)
		return;
	out8(IER, 0);
	out8(LCR, LCR_DIVISOR);
	out8(DIVISOR_LOW, CLOCK_HZ / 16 / BAUD);
	out8(DIVISOR_HIGH, 0);
	out8(LCR, LCR_8N1);
	out8(FCR, FCR_ENABLE | FCR_CLEAR);
	out8(MCR, MCR_DTR_RTS | MCR_OUT2);
	transmit_size = (in8(IIR) & IIR_FIFO) == IIR_FIFO ? FIFO_SIZE : 1;
	console_register(&uart_console);
}
