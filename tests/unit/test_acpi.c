/*
 * The ACPI tables: found as an operating system finds them, sums and fields
 * checked, and each read back by iasl without a complaint.
 */
#include "images.h"

#include <unistd.h>

#include "kernel/abi.h"
#include "vmm/loader/acpi.h"
#include "vmm/loader/acpi_tables.h"
#include "vmm/machine_map.h"

static struct ram build(const struct acpi_config *config)
{
	struct ram ram = ram_new();

	acpi_build(config, &ram);
	return ram;
}

static uint8_t sum(const void *table, uint32_t length)
{
	const uint8_t *bytes = table;
	uint8_t total = 0;

	while (length--)
		total += *bytes++;
	return total;
}

static const struct acpi_rsdp *rsdp_of(const struct ram *ram)
{
	return (const void *)(ram->host + MAP_ACPI_BASE);
}

/* A table at a guest address, in the area and with a right sum. */
static const struct acpi_header *table_at(const struct ram *ram, uint64_t address)
{
	const struct acpi_header *table = (const void *)(ram->host + address);

	assert_in_range(address, MAP_ACPI_BASE, MAP_ACPI_END - sizeof(*table));
	assert_in_range(table->length, sizeof(*table), MAP_ACPI_END - address);
	assert_int_equal(sum(table, table->length), 0);
	return table;
}

/* Looks a table up through the XSDT, and holds the RSDT to the same list. NULL: none. */
static const void *find(const struct ram *ram, const char *signature)
{
	const struct acpi_header *xsdt = table_at(ram, rsdp_of(ram)->xsdt_address);
	const struct acpi_header *rsdt = table_at(ram, rsdp_of(ram)->rsdt_address);
	unsigned count = (xsdt->length - sizeof(*xsdt)) / 8;

	assert_memory_equal(xsdt->signature, "XSDT", 4);
	assert_memory_equal(rsdt->signature, "RSDT", 4);
	assert_int_equal((rsdt->length - sizeof(*rsdt)) / 4, count);
	for (unsigned i = 0; i < count; i++) {
		const struct acpi_header *table;
		uint32_t narrow;
		uint64_t wide;

		memcpy(&wide, (const uint8_t *)(xsdt + 1) + 8 * i, sizeof(wide));
		memcpy(&narrow, (const uint8_t *)(rsdt + 1) + 4 * i, sizeof(narrow));
		assert_int_equal(narrow, wide);
		table = table_at(ram, wide);
		if (!memcmp(table->signature, signature, 4))
			return table;
	}
	return NULL;
}

static const struct acpi_config whole = {.cpus = 64,
					 .ioapic = true,
					 .pmtimer_width = 32,
					 .tsc_khz = 1996250,
					 .pm_page_base = MAP_PM_PAGE_BASE,
					 .virtual_time = true,
					 .pair = true};
static const struct acpi_config bare = {.cpus = 1, .pmtimer_width = 24};

static void the_rsdp_has_both_sums(void **state)
{
	struct ram ram = build(&whole);
	const struct acpi_rsdp *rsdp = rsdp_of(&ram);

	assert_int_equal(MAP_ACPI_BASE % 16, 0);
	assert_memory_equal(rsdp->signature, "RSD PTR ", 8);
	assert_int_equal(rsdp->revision, 2);
	assert_int_equal(rsdp->length, 36);
	assert_int_equal(sum(rsdp, 20), 0);
	assert_int_equal(sum(rsdp, 36), 0);
	ram_free(&ram);
}

static void the_fadt_states_the_machine(void **state)
{
	struct ram ram = build(&whole), ram24 = build(&bare);
	const struct acpi_fadt *fadt = find(&ram, "FACP"), *fadt24 = find(&ram24, "FACP");
	const struct acpi_facs *facs = (const void *)(ram.host + fadt->firmware_ctrl);

	assert_int_equal(fadt->header.revision, 6);
	assert_int_equal(fadt->header.length, 276);
	assert_int_equal(fadt->sci_int, MAP_SCI_GSI);
	assert_int_equal(fadt->pm1a_evt_blk, MAP_PM1_EVT_PORT);
	assert_int_equal(fadt->x_pm1a_evt_blk.address, MAP_PM1_EVT_PORT);
	assert_int_equal(fadt->pm1a_cnt_blk, MAP_PM1_CNT_PORT);
	assert_int_equal(fadt->x_pm1a_cnt_blk.address, MAP_PM1_CNT_PORT);
	assert_int_equal(fadt->pm_tmr_blk, MAP_PM_TIMER_PORT);
	assert_int_equal(fadt->pm_tmr_len, 4);
	assert_int_equal(fadt->x_pm_tmr_blk.address, MAP_PM_TIMER_PORT);
	assert_int_equal(fadt->x_pm_tmr_blk.space, ACPI_SPACE_IO);
	assert_int_equal(fadt->x_pm_tmr_blk.bit_width, 32);
	assert_int_equal(fadt->reset_reg.address, MAP_RESET_PORT);
	assert_int_equal(fadt->reset_value, MAP_RESET_VALUE);
	assert_int_equal(fadt->century, 0x32);
	assert_int_equal(fadt->flags & ACPI_FADT_TMR_VAL_EXT, ACPI_FADT_TMR_VAL_EXT);
	assert_int_equal(fadt24->flags & ACPI_FADT_TMR_VAL_EXT, 0);
	assert_int_equal(fadt->flags & ACPI_FADT_RESET_REG_SUP, ACPI_FADT_RESET_REG_SUP);
	assert_int_equal(fadt->x_firmware_ctrl, 0);
	assert_memory_equal(facs->signature, "FACS", 4);
	assert_int_equal(fadt->firmware_ctrl % 64, 0);
	assert_int_equal(fadt->dsdt, fadt->x_dsdt);
	assert_memory_equal(table_at(&ram, fadt->dsdt)->signature, "DSDT", 4);
	ram_free(&ram);
	ram_free(&ram24);
}

/* Counts the MADT's entries of a type; checks that the last ends where the table does. */
static unsigned count_entries(const struct acpi_madt *madt, uint8_t type)
{
	const uint8_t *at = (const uint8_t *)(madt + 1), *end = (const uint8_t *)madt;
	unsigned count = 0;

	for (end += madt->header.length; at < end; at += at[1]) {
		assert_in_range(at[1], 2, end - at);
		count += at[0] == type;
	}
	assert_ptr_equal(at, end);
	return count;
}

static void the_madt_lists_every_cpu_and_the_ioapic(void **state)
{
	struct ram ram = build(&whole), ram1 = build(&bare);
	const struct acpi_madt *madt = find(&ram, "APIC"), *madt1 = find(&ram1, "APIC");
	const struct acpi_madt_lapic *lapic = (const void *)(madt + 1);

	assert_int_equal(madt->lapic_address, MAP_LAPIC_BASE);
	assert_int_equal(madt->flags, 1);
	assert_int_equal(count_entries(madt, ACPI_MADT_LAPIC), 64);
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(lapic[i].apic_id, i);
		assert_int_equal(lapic[i].flags, 1);
	}
	assert_int_equal(count_entries(madt, ACPI_MADT_IOAPIC), 1);
	assert_int_equal(count_entries(madt, ACPI_MADT_OVERRIDE), 2);
	assert_int_equal(count_entries(madt, ACPI_MADT_LAPIC_NMI), 1);
	/* Local APICs only: no 8259 either. */
	assert_int_equal(madt1->flags, 0);
	assert_int_equal(count_entries(madt1, ACPI_MADT_LAPIC), 1);
	assert_int_equal(count_entries(madt1, ACPI_MADT_IOAPIC), 0);
	assert_int_equal(count_entries(madt1, ACPI_MADT_OVERRIDE), 0);
	ram_free(&ram);
	ram_free(&ram1);
}

static void overrides_are_the_pits_and_the_scis(void **state)
{
	struct ram ram = build(&whole);
	const struct acpi_madt *madt = find(&ram, "APIC");
	const uint8_t *at = (const uint8_t *)(madt + 1);
	const struct acpi_madt_override *pit, *sci;

	while (at[0] != ACPI_MADT_OVERRIDE)
		at += at[1];
	pit = (const void *)at;
	sci = pit + 1;
	assert_int_equal(pit->source, 0);
	assert_int_equal(pit->gsi, 2);
	assert_int_equal(pit->flags, 0);
	assert_int_equal(sci->source, 9);
	assert_int_equal(sci->gsi, 9);
	assert_int_equal(sci->flags, 0xd); /* active high, level */
	ram_free(&ram);
}

static void the_pairs_table_is_there_when_wanted(void **state)
{
	struct ram ram = build(&whole), ram1 = build(&bare);
	const struct acpi_header *table = find(&ram, TK_ACPI_SIGNATURE);
	struct tk_acpi_body body;

	assert_non_null(table);
	assert_int_equal(table->length, sizeof(*table) + sizeof(body));
	assert_memory_equal(table->oem_id, TK_ACPI_OEM_ID, 6);
	memcpy(&body, table + 1, sizeof(body));
	assert_int_equal(body.abi_version, TK_ABI_VERSION);
	assert_int_equal(body.io_base, TK_IO_BASE);
	assert_int_equal(body.io_length, TK_IO_LENGTH);
	assert_int_equal(body.mmio_null_base, MAP_PAIR_NULL_BASE);
	assert_int_equal(body.tsc_khz, 1996250);
	assert_int_equal(body.flags, TK_FLAG_VIRTUAL_TIME);
	assert_int_equal(body.pm_page_base, MAP_PM_PAGE_BASE);
	assert_null(find(&ram1, TK_ACPI_SIGNATURE));
	ram_free(&ram);
	ram_free(&ram1);
}

/* Nothing of the tables lies outside their area. */
static void all_is_written_inside_the_area(void **state)
{
	struct ram ram = build(&whole);

	for (uint32_t i = 0; i < MAP_ACPI_BASE; i++)
		assert_int_equal(ram.host[i], 0);
	for (uint32_t i = MAP_ACPI_END; i < TEST_RAM_BYTES; i++)
		assert_int_equal(ram.host[i], 0);
	ram_free(&ram);
}

/* ---- iasl as the judge ---- */

static int run(char *output, size_t size, const char *format, const char *directory,
	       const char *name)
{
	char command[300];
	size_t length;
	FILE *pipe;

	snprintf(command, sizeof(command), format, directory, name);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	length = fread(output, 1, size - 1, pipe);
	output[length] = '\0';
	return pclose(pipe);
}

static void iasl_reads(const char *directory, const char *name, const void *table, uint32_t length)
{
	char path[100], output[8000];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.aml", directory, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(table, 1, length, file), length);
	fclose(file);
	if (run(output, sizeof(output), "cd %s && iasl -d %s.aml 2>&1 && ! grep -i invalid *.dsl",
		directory, name))
		fail_msg("iasl -d %s: %s", name, output);
	if (strstr(output, "Warning") || strstr(output, "Error") || strstr(output, "Incorrect"))
		fail_msg("iasl -d %s: %s", name, output);
}

static void iasl_reads_every_table(void **state)
{
	char directory[] = "/tmp/tickvm-acpi-XXXXXX", output[1000];
	struct ram ram = build(&whole);
	const struct acpi_fadt *fadt = find(&ram, "FACP");
	static const char *const names[] = {"FACP", "APIC", TK_ACPI_SIGNATURE};

	if (system("iasl -v >/dev/null 2>&1")) {
		ram_free(&ram);
		skip();
	}
	assert_non_null(mkdtemp(directory));
	for (unsigned i = 0; i < 3; i++) {
		const struct acpi_header *table = find(&ram, names[i]);

		iasl_reads(directory, names[i], table, table->length);
	}
	iasl_reads(directory, "XSDT", ram.host + rsdp_of(&ram)->xsdt_address,
		   table_at(&ram, rsdp_of(&ram)->xsdt_address)->length);
	iasl_reads(directory, "RSDT", ram.host + rsdp_of(&ram)->rsdt_address,
		   table_at(&ram, rsdp_of(&ram)->rsdt_address)->length);
	iasl_reads(directory, "FACS", ram.host + fadt->firmware_ctrl, sizeof(struct acpi_facs));
	iasl_reads(directory, "DSDT", ram.host + fadt->dsdt, table_at(&ram, fadt->dsdt)->length);
	/* What was read back compiles again, to the same bytes. */
	assert_int_equal(run(output, sizeof(output),
			     "cd %s && cp %s.aml first.aml && iasl DSDT.dsl >/dev/null 2>&1 && "
			     "cmp -s -i 36 DSDT.aml first.aml",
			     directory, "DSDT"),
			 0);
	run(output, sizeof(output), "rm -r %s%s", directory, "");
	ram_free(&ram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rsdp_has_both_sums),
		cmocka_unit_test(the_fadt_states_the_machine),
		cmocka_unit_test(the_madt_lists_every_cpu_and_the_ioapic),
		cmocka_unit_test(overrides_are_the_pits_and_the_scis),
		cmocka_unit_test(the_pairs_table_is_there_when_wanted),
		cmocka_unit_test(all_is_written_inside_the_area),
		cmocka_unit_test(iasl_reads_every_table),
	};

	return cmocka_run_group_tests_name("acpi", tests, NULL, NULL);
}
