/*
 * The guest's side of the pair contract, and its stand-ins on other machines.
 */
#include "pair.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "console.h"
#include "fault.h"
#include "io.h"
#include "irq.h"
#include "text.h"

#define PORTS 0x10000

static struct tk_acpi_body table;
static bool present;
static void (*power_off)(void);

static void pair_write(enum tk_register offset, uint32_t value)
{
	out32(table.io_base + offset, value);
}

static bool is_sound(const struct tk_acpi_body *body, uint32_t length)
{
	return length >= sizeof(*body) && body->io_length >= TK_IO_LENGTH &&
	       body->io_base + TK_IO_LENGTH <= PORTS;
}

/* Other versions may have another layout: only the version itself is sure. */
static _Noreturn void refuse_version(const struct tk_acpi_body *body, uint32_t length)
{
	printf("tickvm: the VMM speaks version %u of the pair contract, this image %d\n",
	       (unsigned)body->abi_version, TK_ABI_VERSION);
	if (is_sound(body, length))
		out32(body->io_base + TK_REG_VERSION, TK_ABI_VERSION); /* ends the run */
	exit(TK_EXIT_USAGE);
}

void pair_attach(const struct tk_acpi_body *body, uint32_t length)
{
	if (length >= sizeof(body->abi_version) && body->abi_version != TK_ABI_VERSION)
		refuse_version(body, length);
	if (!is_sound(body, length))
		app_exit(TK_EXIT_USAGE, "the pair's ACPI table is damaged: %u bytes",
			 (unsigned)length);
	table = *body;
	present = true;
	pair_write(TK_REG_VERSION, TK_ABI_VERSION);
}

bool pair_present(void)
{
	return present;
}

const struct tk_acpi_body *pair_table(void)
{
	return present ? &table : NULL;
}

uint64_t pair_host_ns(void)
{
	bool irqs_on;
	uint32_t low, high;

	if (!present)
		return 0;
	/* A handler that asked between the two would change what is latched. */
	irqs_on = irq_save();
	low = in32(table.io_base + TK_REG_CLOCK_LOW);
	high = in32(table.io_base + TK_REG_CLOCK_HIGH);
	irq_restore(irqs_on);
	return (uint64_t)high << 32 | low;
}

/* ---- samples ------------------------------------------------------------- */

static uint64_t value_at(const void *values, uint32_t index, uint32_t width)
{
	return width == 4 ? ((const uint32_t *)values)[index] : ((const uint64_t *)values)[index];
}

/* One line of up to TK_LINE_VALUES values: the format is abi.h's. */
static void print_samples(const char *name, const char *unit, const void *values, uint32_t first,
			  uint32_t count, uint32_t width)
{
	const size_t prefix = sizeof(TK_LINE_PREFIX) - 1;
	struct text text = {.length = 0};
	uint32_t sum;

	text_string(&text, TK_LINE_PREFIX "samples ");
	text_string(&text, name);
	text_string(&text, " ");
	text_string(&text, unit);
	text_string(&text, " ");
	text_decimal(&text, first);
	text_string(&text, "/");
	text_decimal(&text, count);
	for (uint32_t i = first; i < count && i < first + TK_LINE_VALUES; i++) {
		text_string(&text, " ");
		text_hex(&text, value_at(values, i, width));
	}
	sum = tk_line_sum(text.data + prefix, text.length - prefix);
	text_string(&text, " *");
	text_hex(&text, sum);
	text_string(&text, "\n");
	console_write(text.data, text.length);
}

static void hand_over(const char *name, const char *unit, const void *values, uint32_t count,
		      uint32_t width)
{
	struct tk_samples samples = {
		.address = (uintptr_t)values,
		.count = count,
		.width = width,
	};

	strlcpy(samples.name, name, sizeof(samples.name));
	strlcpy(samples.unit, unit, sizeof(samples.unit));
	pair_write(TK_REG_SAMPLES, (uintptr_t)&samples);
}

void pair_samples(const char *name, const char *unit, const void *values, uint32_t count,
		  uint32_t width)
{
	uint32_t step = present ? TK_SAMPLES_MAX : TK_LINE_VALUES;

	for (uint32_t first = 0; first < count; first += step) {
		uint32_t rest = count - first;

		if (present)
			hand_over(name, unit, (const char *)values + (uint64_t)first * width,
				  rest < step ? rest : step, width);
		else
			print_samples(name, unit, values, first, count, width);
	}
}

/* ---- phases and marks ---------------------------------------------------- */

static void pair_phase(const char *name, enum tk_phase_kind kind, uint64_t operations)
{
	struct tk_phase phase = {.kind = kind, .operations = operations};

	if (!present)
		return;
	strlcpy(phase.name, name, sizeof(phase.name));
	pair_write(TK_REG_PHASE, (uintptr_t)&phase);
}

void pair_phase_begin(const char *name)
{
	pair_phase(name, TK_PHASE_BEGIN, 0);
}

void pair_phase_end(const char *name, uint64_t operations)
{
	pair_phase(name, TK_PHASE_END, operations);
}

void pair_mark(enum tk_mark mark)
{
	if (present)
		pair_write(TK_REG_MARK, mark);
}

/* ---- the end ------------------------------------------------------------- */

void pair_power_off_register(void (*new_power_off)(void))
{
	power_off = new_power_off;
}

void pair_quit(int code)
{
	irq_disable();
	if (present)
		pair_write(TK_REG_EXIT, code);
	/* QEMU's isa-debug-exit, if it is there; on other machines nothing answers. */
	out32(TK_DEBUG_EXIT_PORT, code);
	if (power_off)
		power_off();
	for (;;)
		__asm__ volatile("cli; hlt");
}

void pair_exit(int code)
{
	struct text text = {.length = 0};

	if (!present) {
		console_end_line();
		text_string(&text, TK_LINE_PREFIX "exit ");
		text_decimal(&text, code);
		text_string(&text, "\n");
		console_write(text.data, text.length);
	}
	pair_quit(code);
}
