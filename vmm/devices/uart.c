/* UART 16550A: see uart.h. Names of bits as in the PC16550D data sheet, section 8. */
#include "uart.h"

#include <string.h>

enum {
	REG_DATA = 0, /* RBR and THR; DLL under DLAB */
	REG_IER = 1,  /* DLM under DLAB */
	REG_IIR = 2,  /* written: FCR */
	REG_LCR = 3,
	REG_MCR = 4,
	REG_LSR = 5,
	REG_MSR = 6,
	REG_SCR = 7,
};

enum { IER_RECEIVED = 0x01, IER_THR_EMPTY = 0x02, IER_LINE_STATUS = 0x04, IER_MODEM_STATUS = 0x08 };

enum { IER_ALL = 0x0f, MCR_ALL = 0x1f };

enum {
	IIR_MODEM_STATUS = 0x00,
	IIR_NONE = 0x01,
	IIR_THR_EMPTY = 0x02,
	IIR_RECEIVED = 0x04,
	IIR_LINE_STATUS = 0x06,
	IIR_TIMEOUT = 0x0c,
	IIR_FIFOS = 0xc0,
};

enum { FCR_ENABLE = 0x01, FCR_CLEAR_RECEIVER = 0x02, FCR_TRIGGER_SHIFT = 6 };

enum { LCR_DLAB = 0x80 };

enum { MCR_DTR = 0x01, MCR_RTS = 0x02, MCR_OUT1 = 0x04, MCR_OUT2 = 0x08, MCR_LOOP = 0x10 };

enum { LSR_DATA_READY = 0x01, LSR_OVERRUN = 0x02, LSR_THR_EMPTY = 0x20, LSR_IDLE = 0x40 };

/* Inputs of MSR; the change of each is recorded four bits below it. */
enum { MSR_CTS = 0x10, MSR_DSR = 0x20, MSR_RI = 0x40, MSR_DCD = 0x80, MSR_DELTA_SHIFT = 4 };

static bool fifos_enabled(const struct uart_state *s)
{
	return s->fcr & FCR_ENABLE;
}

static unsigned capacity(const struct uart_state *s)
{
	return fifos_enabled(s) ? UART_FIFO_BYTES : 1;
}

static unsigned trigger_level(const struct uart_state *s)
{
	static const uint8_t levels[] = {1, 4, 8, 14};

	return fifos_enabled(s) ? levels[s->fcr >> FCR_TRIGGER_SHIFT] : 1;
}

/* What IIR reports: the first in the chip's order of priority. */
static uint8_t interrupt_identity(const struct uart_state *s)
{
	if ((s->ier & IER_LINE_STATUS) && s->overrun)
		return IIR_LINE_STATUS;
	if ((s->ier & IER_RECEIVED) && s->count >= trigger_level(s))
		return IIR_RECEIVED;
	/* On a wire this fast the four silent character times have always passed. */
	if ((s->ier & IER_RECEIVED) && s->count)
		return IIR_TIMEOUT;
	if ((s->ier & IER_THR_EMPTY) && s->thr_emptied)
		return IIR_THR_EMPTY;
	if ((s->ier & IER_MODEM_STATUS) && s->modem_deltas)
		return IIR_MODEM_STATUS;
	return IIR_NONE;
}

/* The one place that drives INTR. Only changes are passed on: the line may cost a system call. */
static void update_line(struct uart *uart)
{
	bool level = interrupt_identity(&uart->state) != IIR_NONE;

	if (level == uart->state.interrupt)
		return;
	uart->state.interrupt = level;
	irq_line_set(uart->line, level);
}

/* Modem inputs: a peer that is always ready or, in loopback, the chip's own outputs. */
static uint8_t modem_inputs(uint8_t mcr)
{
	if (!(mcr & MCR_LOOP))
		return MSR_CTS | MSR_DSR | MSR_DCD;
	return (mcr & MCR_RTS ? MSR_CTS : 0) | (mcr & MCR_DTR ? MSR_DSR : 0) |
	       (mcr & MCR_OUT1 ? MSR_RI : 0) | (mcr & MCR_OUT2 ? MSR_DCD : 0);
}

static void write_mcr(struct uart_state *s, uint8_t value)
{
	uint8_t before = modem_inputs(s->mcr), after = modem_inputs(value);
	uint8_t changed = before ^ after;

	changed &= ~(after & MSR_RI); /* TERI: the end of a ring only */
	s->modem_deltas |= changed >> MSR_DELTA_SHIFT;
	s->mcr = value;
}

static void receiver_put(struct uart_state *s, uint8_t byte)
{
	s->received[(s->first + s->count) % UART_FIFO_BYTES] = byte;
	s->count++;
}

static uint8_t receiver_take(struct uart_state *s)
{
	uint8_t byte = s->received[s->first];

	if (!s->count)
		return 0;
	s->first = (s->first + 1) % UART_FIFO_BYTES;
	s->count--;
	return byte;
}

/* A byte from our own transmitter, which does not wait for room. */
static void loop_back(struct uart_state *s, uint8_t byte)
{
	if (s->count < capacity(s)) {
		receiver_put(s, byte);
		return;
	}
	s->overrun = true;
	if (!fifos_enabled(s)) /* RBR is overwritten; a full FIFO keeps what it has */
		s->received[s->first] = byte;
}

/* The request falls and rises again, so that an edge-triggered pin sees each byte go out. */
static void transmit(struct uart *uart, uint8_t byte)
{
	uart->state.thr_emptied = false;
	update_line(uart);
	if (uart->state.mcr & MCR_LOOP)
		loop_back(&uart->state, byte);
	else
		uart->output(uart->opaque, &byte, 1);
	uart->state.thr_emptied = true;
}

static void write_ier(struct uart_state *s, uint8_t value)
{
	if (value & ~s->ier & IER_THR_EMPTY)
		s->thr_emptied = true; /* THR is empty at this moment */
	s->ier = value & IER_ALL;
}

static void write_fcr(struct uart_state *s, uint8_t value)
{
	bool switched = (value ^ s->fcr) & FCR_ENABLE;

	/* The other bits are programmed only together with FCR_ENABLE. */
	s->fcr = value & FCR_ENABLE ? value : 0;
	if (switched || (s->fcr & FCR_CLEAR_RECEIVER))
		s->count = 0;
}

static uint8_t read_iir(struct uart_state *s)
{
	uint8_t identity = interrupt_identity(s);

	if (identity == IIR_THR_EMPTY)
		s->thr_emptied = false;
	return identity | (fifos_enabled(s) ? IIR_FIFOS : 0);
}

static uint8_t read_lsr(struct uart_state *s)
{
	uint8_t value = LSR_THR_EMPTY | LSR_IDLE;

	if (s->count)
		value |= LSR_DATA_READY;
	if (s->overrun)
		value |= LSR_OVERRUN;
	s->overrun = false;
	return value;
}

static uint8_t read_msr(struct uart_state *s)
{
	uint8_t value = modem_inputs(s->mcr) | s->modem_deltas;

	s->modem_deltas = 0;
	return value;
}

static uint8_t read_register(struct uart_state *s, uint32_t offset)
{
	switch (offset) {
	case REG_DATA:
		return s->lcr & LCR_DLAB ? s->dll : receiver_take(s);
	case REG_IER:
		return s->lcr & LCR_DLAB ? s->dlm : s->ier;
	case REG_IIR:
		return read_iir(s);
	case REG_LCR:
		return s->lcr;
	case REG_MCR:
		return s->mcr;
	case REG_LSR:
		return read_lsr(s);
	case REG_MSR:
		return read_msr(s);
	default:
		return s->scr;
	}
}

static void write_register(struct uart *uart, uint32_t offset, uint8_t value)
{
	struct uart_state *s = &uart->state;

	switch (offset) {
	case REG_DATA:
		if (s->lcr & LCR_DLAB)
			s->dll = value;
		else
			transmit(uart, value);
		break;
	case REG_IER:
		if (s->lcr & LCR_DLAB)
			s->dlm = value;
		else
			write_ier(s, value);
		break;
	case REG_IIR:
		write_fcr(s, value);
		break;
	case REG_LCR:
		s->lcr = value;
		break;
	case REG_MCR:
		write_mcr(s, value & MCR_ALL);
		break;
	case REG_SCR:
		s->scr = value;
		break;
	}
}

static uint64_t uart_read(void *state, struct bus_access access)
{
	struct uart *uart = state;
	uint8_t value = read_register(&uart->state, access.offset);

	update_line(uart);
	return value;
}

static void uart_write(void *state, struct bus_access access, uint64_t value)
{
	struct uart *uart = state;

	write_register(uart, access.offset, (uint8_t)value);
	update_line(uart);
}

void uart_init(struct uart *uart, const struct irq_line *line,
	       void (*output)(void *opaque, const uint8_t *bytes, unsigned count), void *opaque)
{
	memset(uart, 0, sizeof(*uart));
	uart->line = line;
	uart->output = output;
	uart->opaque = opaque;
}

struct bus_region uart_region(struct uart *uart, uint16_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "uart",
		.base = base,
		.length = UART_PORTS,
		.sizes = 1,
		.read = uart_read,
		.write = uart_write,
		.state = uart,
		.lock = lock,
	};
}

unsigned uart_input(struct uart *uart, const uint8_t *bytes, unsigned count)
{
	struct uart_state *s = &uart->state;
	unsigned taken = 0;

	if (s->mcr & MCR_LOOP) /* the receiver is off the wire */
		return 0;
	while (taken < count && s->count < capacity(s))
		receiver_put(s, bytes[taken++]);
	update_line(uart);
	return taken;
}
