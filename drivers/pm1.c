/*
 * PM1 blocks (ACPI 6.5 § 4.8.3): fixed events and the SCI (§ 4.8.3.1), power-off by
 * sleep state S5 (§ 4.8.3.2, § 7.4.2.6, § 16.1.3; hardware-reduced: § 4.8.3.7), and the
 * reset register (§ 4.8.3.6).
 *
 * Only the event block PM1a is used: PM1b is for machines that split the events over two
 * chips, of which none that is virtual is known.
 *
 * What to write for S5 stands in the DSDT as the package \_S5, which is code for
 * an interpreter. As firmware always makes it a package of constants, its bytes
 * are searched for instead.
 */
#include "drivers/pm1.h"

#include <string.h>

#include "drivers/acpi.h"
#include "drivers/ioapic.h"
#include "drivers/lapic.h"
#include "drivers/table.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define PM1_SCI_EN	  (1u << 0)
#define PM1_SLP_TYP_SHIFT 10
#define PM1_SLP_TYP_MASK  (7u << PM1_SLP_TYP_SHIFT)
#define PM1_SLP_EN	  (1u << 13)

#define SLEEP_CONTROL_TYP_SHIFT 2
#define SLEEP_CONTROL_EN	(1u << 5)

/* Of AML (ACPI 6.5 § 20.2). */
#define AML_ZERO	0x00
#define AML_ONE		0x01
#define AML_NAME	0x08
#define AML_BYTE_PREFIX 0x0a
#define AML_PACKAGE	0x12
#define AML_ROOT	'\\'
#define AML_COUNT_SIZE	1 /* of a package's element count */

/* Of a package's length: the first byte says how many follow. */
#define AML_LENGTH_SIZE(first) (1 + ((first) >> 6))

/* Which of the FADT's block lengths is PM1_EVT_LEN. */
#define PM1_EVENT_LENGTH 0

/* How often a register is looked at before its change is given up on. */
#define POLLS_MAX 100000

struct sleep_type {
	int a, b; /* SLP_TYP for the PM1a and PM1b control blocks; -1: not found */
};

/* One constant element of a package at *at, which moves past it; -1: something else, or the end. */
static int aml_constant(const uint8_t **at, const uint8_t *end)
{
	if (*at >= end)
		return -1;
	switch (*(*at)++) {
	case AML_ZERO:
		return 0;
	case AML_ONE:
		return 1;
	case AML_BYTE_PREFIX:
		return *at < end ? *(*at)++ : -1;
	default:
		return -1;
	}
}

/* "_S5_" stands at `name`: before it Name, after it a package of two constants or more. */
static struct sleep_type parse_s5(const uint8_t *name, const uint8_t *end)
{
	struct sleep_type type = {-1, -1};
	const uint8_t *at = name + 4;

	if (name[-1] != AML_NAME && !(name[-1] == AML_ROOT && name[-2] == AML_NAME))
		return type;
	if (end - at < 2 || *at++ != AML_PACKAGE)
		return type;
	at += AML_LENGTH_SIZE(*at) + AML_COUNT_SIZE;
	type.a = aml_constant(&at, end);
	type.b = aml_constant(&at, end);
	return type;
}

static struct sleep_type find_s5(void)
{
	const struct acpi_fadt *fadt = acpi_fadt();
	const struct acpi_header *dsdt;
	struct sleep_type type = {-1, -1};
	const uint8_t *at, *end;

	dsdt = acpi_check(fadt->x_dsdt ? fadt->x_dsdt : fadt->dsdt, "DSDT");
	if (!dsdt)
		return type;
	at = (const uint8_t *)(dsdt + 1) + 1; /* behind a Name */
	end = (const uint8_t *)dsdt + dsdt->length;
	for (; type.a < 0 && end - at >= 4; at++)
		if (memcmp(at, "_S5_", 4) == 0)
			type = parse_s5(at, end);
	return type;
}

static void write_register(const struct acpi_address *reg, uint8_t value)
{
	if (reg->space == ACPI_SPACE_IO)
		out8(reg->address, value);
	else if (reg->space == ACPI_SPACE_MEMORY && reg->address < ACPI_REACH_END)
		*(volatile uint8_t *)reg->address = value;
}

/* Firmware may have left the PM1 block in the hands of its SMM (§ 4.8.2.5, § 16.3). */
static void take_from_firmware(uint16_t control)
{
	const struct acpi_fadt *fadt = acpi_fadt();

	if (in16(control) & PM1_SCI_EN || !fadt->smi_command || !fadt->acpi_enable)
		return;
	out8(fadt->smi_command, fadt->acpi_enable);
	for (unsigned i = 0; i < POLLS_MAX && !(in16(control) & PM1_SCI_EN); i++)
		cpu_pause();
}

/* ---- fixed events -------------------------------------------------------- */

bool pm1_present(void)
{
	return acpi_info()->pm1a_event_port != 0;
}

uint16_t pm1_status(void)
{
	return pm1_present() ? in16(acpi_info()->pm1a_event_port) : 0;
}

void pm1_clear(uint16_t events)
{
	if (pm1_present())
		out16(acpi_info()->pm1a_event_port, events);
}

/* The second half of the block, whose length the FADT states (§ 4.8.3.1). */
static uint16_t enable_port(void)
{
	return acpi_info()->pm1a_event_port + acpi_fadt()->lengths[PM1_EVENT_LENGTH] / 2;
}

uint16_t pm1_enabled(void)
{
	return pm1_present() ? in16(enable_port()) : 0;
}

void pm1_enable(uint16_t events)
{
	if (pm1_present())
		out16(enable_port(), events);
}

static uint8_t sci_vector(void)
{
	return IRQ_VECTOR_GSI + acpi_info()->sci_gsi;
}

int pm1_sci_attach(irq_handler *handler, void *argument)
{
	const struct acpi_info *info = acpi_info();

	if (!pm1_present() || !info->sci_gsi || !info->pm1a_control_port || !irq_chip() ||
	    sci_vector() >= IRQ_VECTOR_TIMER)
		return -1;
	take_from_firmware(info->pm1a_control_port);
	if (!(in16(info->pm1a_control_port) & PM1_SCI_EN))
		return -1;
	irq_attach(sci_vector(), handler, argument);
	if (ioapic_route(info->sci_gsi, sci_vector(), irq_chip()->apic_id()) != 0)
		return -1;
	return ioapic_unmask(info->sci_gsi);
}

/* One that was under way when its input was masked, and is taken when interrupts are on again. */
static void drop(void *argument)
{
}

void pm1_sci_detach(void)
{
	ioapic_mask(acpi_info()->sci_gsi);
	irq_attach(sci_vector(), drop, NULL);
}

uint64_t pm1_sci_count(void)
{
	return irq_count(sci_vector());
}

bool pm1_sci_in_service(void)
{
	return lapic_in_service(sci_vector());
}

/* ---- sleep and reset ----------------------------------------------------- */

static void enter_sleep(uint16_t control, unsigned type)
{
	uint16_t value = in16(control) & ~(PM1_SLP_TYP_MASK | PM1_SLP_EN);

	value |= type << PM1_SLP_TYP_SHIFT & PM1_SLP_TYP_MASK;
	out16(control, value);
	out16(control, value | PM1_SLP_EN);
}

/* Returns where it could not. */
static void power_off(void)
{
	const struct acpi_info *info = acpi_info();
	const struct acpi_fadt *fadt = acpi_fadt();
	struct sleep_type type = find_s5();

	if (type.a < 0)
		return;
	if (fadt->flags & ACPI_FADT_HARDWARE_REDUCED) {
		if (fadt->sleep_control.address)
			write_register(&fadt->sleep_control,
				       type.a << SLEEP_CONTROL_TYP_SHIFT | SLEEP_CONTROL_EN);
		return;
	}
	if (!info->pm1a_control_port)
		return;
	take_from_firmware(info->pm1a_control_port);
	if (info->pm1b_control_port && type.b >= 0)
		enter_sleep(info->pm1b_control_port, type.b);
	enter_sleep(info->pm1a_control_port, type.a);
}

int pm1_reset(void)
{
	const struct acpi_fadt *fadt = acpi_fadt();

	if (fadt->flags & ACPI_FADT_RESET_REGISTER)
		write_register(&fadt->reset_register, fadt->reset_value);
	return -1;
}

void pm1_probe(void)
{
	if (acpi_fadt()->header.length)
		pair_power_off_register(power_off);
}
