/* UART 16550A: registers, the order and clearing of its interrupts, FIFO, loopback. */
#include "fake.h"

#include <string.h>

#include "vmm/devices/uart.h"

#define PORT 0x3f8

enum { DATA, IER, IIR, FCR = 2, LCR, MCR, LSR, MSR, SCR };

struct rig {
	struct fake_line line;
	struct fake_bus bus;
	struct uart uart;
	uint8_t sent[64];
	unsigned sent_count;
};

static void sink(void *opaque, const uint8_t *bytes, unsigned count)
{
	struct rig *rig = opaque;

	assert_true(rig->sent_count + count <= sizeof(rig->sent));
	memcpy(rig->sent + rig->sent_count, bytes, count);
	rig->sent_count += count;
}

static void rig_init(struct rig *rig)
{
	fake_line_init(&rig->line);
	fake_bus_init(&rig->bus);
	rig->sent_count = 0;
	uart_init(&rig->uart, &rig->line.line, sink, rig);
	fake_bus_add(&rig->bus, uart_region(&rig->uart, PORT, NULL));
}

static uint8_t in(struct rig *rig, unsigned reg)
{
	return (uint8_t)read_at(&rig->bus, PORT + reg, 1);
}

static void out(struct rig *rig, unsigned reg, uint8_t value)
{
	write_at(&rig->bus, PORT + reg, 1, value);
}

/* Puts `count` bytes 'a', 'b', … on the wire; gives how many were taken. */
static unsigned type(struct rig *rig, unsigned count)
{
	static const uint8_t keys[] = "abcdefghijklmnopqrstuvwxyz";

	return uart_input(&rig->uart, keys, count);
}

static void reset_values(void **state)
{
	static const uint8_t values[] = {0x00, 0x00, 0x01, 0x00, 0x00, 0x60, 0xb0, 0x00};
	struct rig rig;

	rig_init(&rig);
	for (unsigned reg = 0; reg < 8; reg++)
		assert_int_equal(in(&rig, reg), values[reg]);
	assert_int_equal(read_at(&rig.bus, PORT, 2), 0xffff);
	assert_int_equal(read_at(&rig.bus, PORT, 4), 0xffffffff);
	assert_int_equal(rig.line.rises, 0);
}

static void what_registers_keep(void **state)
{
	static const struct {
		uint8_t reg, written, read;
	} rows[] = {
		{IER, 0xff, 0x0f}, {LCR, 0x7f, 0x7f}, {MCR, 0xff, 0x1f},
		{LSR, 0x00, 0x60}, {MSR, 0xff, 0xb0}, {SCR, 0xa5, 0xa5},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		out(&rig, rows[i].reg, rows[i].written);
		assert_int_equal(in(&rig, rows[i].reg), rows[i].read);
	}
}

static void divisor_latch(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, IER, 0x05);
	out(&rig, LCR, 0x83);
	out(&rig, DATA, 0x0c);
	out(&rig, IER, 0x01);
	assert_int_equal(in(&rig, DATA), 0x0c);
	assert_int_equal(in(&rig, IER), 0x01);
	out(&rig, LCR, 0x03);
	assert_int_equal(in(&rig, IER), 0x05);
	assert_int_equal(in(&rig, DATA), 0);
	assert_int_equal(rig.sent_count, 0);
}

static void output_is_immediate(void **state)
{
	struct rig rig;

	rig_init(&rig);
	for (const char *c = "hello"; *c; c++) {
		assert_int_equal(in(&rig, LSR), 0x60);
		out(&rig, DATA, (uint8_t)*c);
	}
	assert_int_equal(rig.sent_count, 5);
	assert_memory_equal(rig.sent, "hello", 5);
	assert_int_equal(rig.line.rises, 0);
}

/* THR empty: asked for by enabling or by a byte going out, answered by the IIR read that says so.
 */
static void thr_empty_interrupt(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, IER, 0x02);
	assert_true(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x02);
	assert_false(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x01);

	out(&rig, IER, 0x02); /* already enabled: nothing new */
	assert_false(rig.line.level);

	out(&rig, DATA, 'x');
	assert_true(rig.line.level);
	in(&rig, LSR); /* does not answer it */
	assert_true(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x02);
	assert_false(rig.line.level);

	out(&rig, IER, 0x00);
	out(&rig, DATA, 'y');
	assert_false(rig.line.level);
	out(&rig, IER, 0x02);
	assert_true(rig.line.level);
	out(&rig, IER, 0x00);
	assert_false(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x01);
}

/* Each byte written takes the request back and makes it again: an edge, not a level that stays. */
static void thr_write_makes_an_edge(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, IER, 0x02);
	assert_int_equal(rig.line.rises, 1);
	out(&rig, DATA, 'x');
	assert_int_equal(rig.line.falls, 1);
	assert_int_equal(rig.line.rises, 2);
	assert_true(rig.line.level);
}

static void received_byte(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, IER, 0x01);
	assert_int_equal(type(&rig, 3), 1); /* no FIFO: one place */
	assert_true(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x04);
	assert_int_equal(in(&rig, LSR), 0x61);
	assert_int_equal(type(&rig, 1), 0);
	assert_int_equal(in(&rig, DATA), 'a');
	assert_false(rig.line.level);
	assert_int_equal(in(&rig, LSR), 0x60);
	assert_int_equal(in(&rig, IIR), 0x01);
	assert_int_equal(in(&rig, DATA), 0);
	assert_int_equal(in(&rig, LSR), 0x60);
}

static void fifo_is_sixteen_in_order(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, FCR, 0x01);
	for (unsigned round = 0; round < 5; round++) {
		assert_int_equal(type(&rig, 3), 3); /* moves the ring's start */
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(in(&rig, DATA), 'a' + i);
		assert_int_equal(type(&rig, 20), 16);
		assert_int_equal(type(&rig, 1), 0);
		for (unsigned i = 0; i < 16; i++)
			assert_int_equal(in(&rig, DATA), 'a' + i);
		assert_int_equal(in(&rig, LSR), 0x60);
	}
}

static void trigger_levels(void **state)
{
	static const struct {
		uint8_t fcr, level;
	} rows[] = {{0x01, 1}, {0x41, 4}, {0x81, 8}, {0xc1, 14}};

	for (unsigned i = 0; i < 4; i++) {
		struct rig rig;

		rig_init(&rig);
		out(&rig, FCR, rows[i].fcr);
		out(&rig, IER, 0x01);
		for (unsigned held = 1; held <= 16; held++) {
			type(&rig, 1);
			/* Below the trigger level: the character timeout, at once. */
			assert_int_equal(in(&rig, IIR), held < rows[i].level ? 0xcc : 0xc4);
			assert_true(rig.line.level);
		}
		for (unsigned i2 = 0; i2 < 16; i2++)
			in(&rig, DATA);
		assert_false(rig.line.level);
		assert_int_equal(in(&rig, IIR), 0xc1);
		assert_int_equal(rig.line.rises, 1);
	}
}

static void fifo_control(void **state)
{
	static const struct {
		uint8_t before, written, iir; /* with five bytes received under `before` */
		bool cleared;
	} rows[] = {
		{0x01, 0x01, 0xc4, false}, {0x01, 0x03, 0xc1, true},  {0x01, 0x05, 0xc4, false},
		{0x01, 0x00, 0x01, true},  {0x01, 0x02, 0x01, true},  {0x00, 0x01, 0xc1, true},
		{0x00, 0x02, 0x04, false}, {0x00, 0xc0, 0x04, false}, {0x01, 0xc1, 0xcc, false},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		out(&rig, IER, 0x01);
		out(&rig, FCR, rows[i].before);
		type(&rig, 5);
		out(&rig, FCR, rows[i].written);
		assert_int_equal(in(&rig, IIR), rows[i].iir);
		assert_int_equal(rig.line.level, !rows[i].cleared);
		assert_int_equal(in(&rig, LSR), rows[i].cleared ? 0x60 : 0x61);
	}
}

/* All four at once: reported in the chip's order, each until its own register is read. */
static void priorities(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, MCR, 0x10); /* loopback: modem inputs fall, so their deltas are set */
	out(&rig, DATA, 'a');
	out(&rig, DATA, 'b'); /* overruns */
	out(&rig, IER, 0x0f);
	assert_int_equal(in(&rig, IIR), 0x06);
	assert_int_equal(in(&rig, IIR), 0x06);
	assert_int_equal(in(&rig, LSR), 0x63);
	assert_int_equal(in(&rig, LSR), 0x61);
	assert_int_equal(in(&rig, IIR), 0x04);
	assert_int_equal(in(&rig, DATA), 'b'); /* RBR is overwritten */
	assert_int_equal(in(&rig, IIR), 0x02);
	assert_int_equal(in(&rig, IIR), 0x00);
	assert_int_equal(in(&rig, IIR), 0x00);
	assert_true(rig.line.level);
	assert_int_equal(in(&rig, MSR), 0x0b);
	assert_false(rig.line.level);
	assert_int_equal(in(&rig, IIR), 0x01);
	assert_int_equal(rig.line.rises, 1);
}

static void loopback_fifo_overrun(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, FCR, 0x01);
	out(&rig, MCR, 0x10);
	for (unsigned i = 0; i < 17; i++)
		out(&rig, DATA, (uint8_t)i);
	assert_int_equal(in(&rig, LSR), 0x63);
	for (unsigned i = 0; i < 16; i++) /* a full FIFO keeps what it has */
		assert_int_equal(in(&rig, DATA), i);
	assert_int_equal(in(&rig, LSR), 0x60);
	assert_int_equal(rig.sent_count, 0);
}

/* In loopback the receiver is off the wire: input waits outside. */
static void loopback_leaves_the_wire(void **state)
{
	struct rig rig;

	rig_init(&rig);
	out(&rig, MCR, 0x10);
	assert_int_equal(type(&rig, 1), 0);
	out(&rig, MCR, 0x00);
	assert_int_equal(type(&rig, 1), 1);
	assert_int_equal(in(&rig, DATA), 'a');
}

static void loopback_modem_lines(void **state)
{
	static const struct {
		uint8_t mcr, msr; /* from loopback with all outputs off */
	} rows[] = {{0x11, 0x22}, {0x12, 0x11}, {0x14, 0x40}, {0x18, 0x88}, {0x1f, 0xfb}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		rig_init(&rig);
		out(&rig, MCR, 0x10);
		assert_int_equal(in(&rig, MSR), 0x0b);
		out(&rig, MCR, rows[i].mcr);
		assert_int_equal(in(&rig, MSR), rows[i].msr);
		assert_int_equal(in(&rig, MSR), rows[i].msr & 0xf0);
		out(&rig, MCR, 0x10); /* the end of the ring counts */
		assert_int_equal(in(&rig, MSR), rows[i].msr >> 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_values),
		cmocka_unit_test(what_registers_keep),
		cmocka_unit_test(divisor_latch),
		cmocka_unit_test(output_is_immediate),
		cmocka_unit_test(thr_empty_interrupt),
		cmocka_unit_test(thr_write_makes_an_edge),
		cmocka_unit_test(received_byte),
		cmocka_unit_test(fifo_is_sixteen_in_order),
		cmocka_unit_test(trigger_levels),
		cmocka_unit_test(fifo_control),
		cmocka_unit_test(priorities),
		cmocka_unit_test(loopback_fifo_overrun),
		cmocka_unit_test(loopback_leaves_the_wire),
		cmocka_unit_test(loopback_modem_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
