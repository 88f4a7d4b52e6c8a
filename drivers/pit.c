/*
 * 8254 programmable interval timer, 1.193182 MHz (Intel 82C54 data sheet).
 *
 * Channel 2, the speaker's, runs freely over all 65536 counts as a clock source.
 * Channel 0, which has the interrupt line, is left for one-shots. Nothing touches the
 * chip before somebody needs it: a VMM may make it on the first access only.
 */
#include "drivers/pit.h"

#include "drivers/table.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/lock.h"

#define RATING 100

#define CHANNEL_0 0x40
#define CHANNEL_2 0x42
#define CONTROL	  0x43

/* Control word: channel, both bytes, mode. */
#define SELECT_0      0x00
#define SELECT_2      0x80
#define LATCH	      0x00
#define BOTH_BYTES    0x30
#define MODE_ONE_SHOT 0x00 /* mode 0: the line rises at the terminal count */
#define MODE_RATE     0x04 /* mode 2: reloads at 1 */
#define STATUS_OF_2   0xe8 /* read-back command: status only, of channel 2 */
#define STATUS_MODE   0x3f

/* System control port B. */
#define PORT_B	       0x61
#define PORT_B_GATE_2  0x01
#define PORT_B_SPEAKER 0x02

static struct spin_lock lock; /* a counter is two accesses of one port */

static void set_count(uint16_t port, uint8_t control, uint16_t count)
{
	bool irqs_on = spin_lock(&lock);

	out8(CONTROL, control);
	out8(port, count & 0xff);
	out8(port, count >> 8);
	spin_unlock(&lock, irqs_on);
}

/* Sets channel 2 going, and looks whether it is as it was told. */
static bool start(void)
{
	out8(PORT_B, (in8(PORT_B) & ~PORT_B_SPEAKER) | PORT_B_GATE_2);
	set_count(CHANNEL_2, SELECT_2 | BOTH_BYTES | MODE_RATE, 0);
	out8(CONTROL, STATUS_OF_2);
	return (in8(CHANNEL_2) & STATUS_MODE) == (BOTH_BYTES | MODE_RATE);
}

bool pit_present(void)
{
	static enum { UNKNOWN, ABSENT, PRESENT } state;

	if (state == UNKNOWN)
		state = start() ? PRESENT : ABSENT;
	return state == PRESENT;
}

int pit_one_shot(uint32_t ticks)
{
	if (!pit_present() || ticks < 1 || ticks > PIT_ONE_SHOT_MAX)
		return -1;
	/* 65536 is written as 0. */
	set_count(CHANNEL_0, SELECT_0 | BOTH_BYTES | MODE_ONE_SHOT, ticks);
	return 0;
}

/* In mode 0 a channel waits, its line low, for a count that does not come. */
void pit_stop(void)
{
	if (pit_present())
		out8(CONTROL, SELECT_0 | BOTH_BYTES | MODE_ONE_SHOT);
}

uint16_t pit_ticks(void)
{
	bool irqs_on = spin_lock(&lock);
	uint16_t left;

	out8(CONTROL, SELECT_2 | LATCH);
	left = in8(CHANNEL_2);
	left |= in8(CHANNEL_2) << 8;
	spin_unlock(&lock, irqs_on);
	return -left; /* it counts down */
}

static uint64_t read_counter(void)
{
	return pit_ticks();
}

static uint64_t frequency(void)
{
	return pit_present() ? PIT_HZ : 0;
}

static const struct clock_source pit_clock = {
	.name = "pit",
	.rating = RATING,
	.width = 16,
	.read = read_counter,
	.frequency = frequency,
};

void pit_probe(void)
{
	clock_register(&pit_clock);
}
