/*
 * The ACPI tables: ACPI 6.5 § 5.2. One after another from MAP_ACPI_BASE, each on
 * 64 bytes (the FACS needs that, the others do not mind).
 */
#include "acpi.h"

#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../machine_map.h"
#include "acpi_tables.h"
#include "dsdt.h"

#define TABLE_ALIGNMENT 64
#define ROOT_TABLES	3 /* FADT, MADT, and the pair's */

#define FADT_REVISION 6
#define FADT_MINOR    5
#define MADT_REVISION 5
#define FACS_VERSION  2
#define RSDP_REVISION 2
#define LATENCY_NONE  0xfff /* beyond what C2 and C3 may have: there are none */
#define RTC_CENTURY   0x32  /* index in CMOS memory */
#define IOAPIC_ID     0

struct tables {
	uint8_t *host; /* of MAP_ACPI_BASE */
	uint32_t used;
};

/* Guest address of a table. */
static uint32_t address_of(const struct tables *tables, const void *table)
{
	return MAP_ACPI_BASE + (uint32_t)((const uint8_t *)table - tables->host);
}

/* All sizes are this file's own, and the sum for 64 CPUs is far below the area's size. */
static void *new_table(struct tables *tables, uint32_t bytes)
{
	void *table = tables->host + tables->used;

	tables->used += (bytes + TABLE_ALIGNMENT - 1) & -TABLE_ALIGNMENT;
	return table;
}

/* Sets the byte that makes the sum of `length` bytes zero. */
static void set_checksum(void *table, uint32_t length, uint8_t *checksum)
{
	const uint8_t *bytes = table;
	uint8_t sum = 0;

	*checksum = 0;
	for (uint32_t i = 0; i < length; i++)
		sum += bytes[i];
	*checksum = -sum;
}

static void finish(struct acpi_header *header, const char *signature, uint32_t length,
		   uint8_t revision)
{
	memcpy(header->signature, signature, sizeof(header->signature));
	header->length = length;
	header->revision = revision;
	memcpy(header->oem_id, TK_ACPI_OEM_ID, sizeof(header->oem_id));
	memcpy(header->oem_table_id, TK_ACPI_OEM_TABLE_ID, sizeof(header->oem_table_id));
	header->oem_revision = 1;
	memcpy(header->creator_id, "TKVM", sizeof(header->creator_id));
	header->creator_revision = 1;
	set_checksum(header, length, &header->checksum);
}

static struct acpi_address io_register(uint16_t port, uint8_t bit_width, uint8_t access_size)
{
	return (struct acpi_address){ACPI_SPACE_IO, bit_width, 0, access_size, port};
}

static void set_fixed_hardware(struct acpi_fadt *fadt)
{
	fadt->sci_int = MAP_SCI_GSI;
	fadt->pm1a_evt_blk = MAP_PM1_EVT_PORT;
	fadt->pm1_evt_len = 4;
	fadt->x_pm1a_evt_blk = io_register(MAP_PM1_EVT_PORT, 32, 2);
	fadt->pm1a_cnt_blk = MAP_PM1_CNT_PORT;
	fadt->pm1_cnt_len = 2;
	fadt->x_pm1a_cnt_blk = io_register(MAP_PM1_CNT_PORT, 16, 2);
	fadt->pm_tmr_blk = MAP_PM_TIMER_PORT;
	fadt->pm_tmr_len = 4;
	fadt->x_pm_tmr_blk = io_register(MAP_PM_TIMER_PORT, 32, 3);
	fadt->reset_reg = io_register(MAP_RESET_PORT, 8, 1);
	fadt->reset_value = MAP_RESET_VALUE;
}

static const void *build_fadt(struct tables *tables, const struct acpi_config *config,
			      const void *facs, const void *dsdt)
{
	struct acpi_fadt *fadt = new_table(tables, sizeof(*fadt));

	set_fixed_hardware(fadt);
	/* The FACS may be stated once only: § 5.2.9, X_FIRMWARE_CTRL. */
	fadt->firmware_ctrl = address_of(tables, facs);
	fadt->dsdt = address_of(tables, dsdt);
	fadt->x_dsdt = fadt->dsdt;
	fadt->p_lvl2_lat = LATENCY_NONE;
	fadt->p_lvl3_lat = LATENCY_NONE;
	fadt->century = RTC_CENTURY;
	fadt->iapc_boot_arch = ACPI_BOOT_LEGACY_DEVICES | ACPI_BOOT_NO_VGA | ACPI_BOOT_NO_MSI |
			       ACPI_BOOT_NO_ASPM;
	fadt->flags = ACPI_FADT_WBINVD | ACPI_FADT_PROC_C1 | ACPI_FADT_NO_POWER_BUTTON |
		      ACPI_FADT_NO_SLEEP_BUTTON | ACPI_FADT_RESET_REG_SUP |
		      (config->pmtimer_width == 32 ? ACPI_FADT_TMR_VAL_EXT : 0);
	fadt->minor_version = FADT_MINOR;
	finish(&fadt->header, "FACP", sizeof(*fadt), FADT_REVISION);
	return fadt;
}

static const void *build_facs(struct tables *tables)
{
	struct acpi_facs *facs = new_table(tables, sizeof(*facs));

	memcpy(facs->signature, "FACS", sizeof(facs->signature));
	facs->length = sizeof(*facs);
	facs->version = FACS_VERSION;
	return facs;
}

static const void *build_dsdt(struct tables *tables)
{
	return memcpy(new_table(tables, sizeof(dsdt_aml)), dsdt_aml, sizeof(dsdt_aml));
}

static uint8_t *append(uint8_t *at, const void *entry, uint32_t bytes)
{
	memcpy(at, entry, bytes);
	return at + bytes;
}

static uint8_t *append_ioapic(uint8_t *at)
{
	const struct acpi_madt_ioapic ioapic = {
		ACPI_MADT_IOAPIC, sizeof(ioapic), IOAPIC_ID, 0, MAP_IOAPIC_BASE, 0};
	const struct acpi_madt_override pit = {ACPI_MADT_OVERRIDE, sizeof(pit),		0, 0,
					       MAP_PIT_GSI,	   ACPI_MADT_AS_THE_BUS};
	const struct acpi_madt_override sci = {
		ACPI_MADT_OVERRIDE, sizeof(sci), 0,
		MAP_SCI_GSI,	    MAP_SCI_GSI, ACPI_MADT_ACTIVE_HIGH_LEVEL};

	at = append(at, &ioapic, sizeof(ioapic));
	at = append(at, &pit, sizeof(pit));
	return append(at, &sci, sizeof(sci));
}

static const void *build_madt(struct tables *tables, const struct acpi_config *config)
{
	const struct acpi_madt_lapic_nmi nmi = {ACPI_MADT_LAPIC_NMI, sizeof(nmi),
						ACPI_MADT_ALL_UIDS, ACPI_MADT_AS_THE_BUS, 1};
	uint32_t most = sizeof(struct acpi_madt) + sizeof(nmi) +
			config->cpus * sizeof(struct acpi_madt_lapic) +
			sizeof(struct acpi_madt_ioapic) + 2 * sizeof(struct acpi_madt_override);
	struct acpi_madt *madt = new_table(tables, most);
	uint8_t *at = (uint8_t *)(madt + 1);

	madt->lapic_address = MAP_LAPIC_BASE;
	madt->flags = config->ioapic ? ACPI_MADT_PCAT_COMPAT : 0;
	for (unsigned i = 0; i < config->cpus; i++) {
		const struct acpi_madt_lapic lapic = {ACPI_MADT_LAPIC, sizeof(lapic), (uint8_t)i,
						      (uint8_t)i, ACPI_MADT_LAPIC_ENABLED};

		at = append(at, &lapic, sizeof(lapic));
	}
	if (config->ioapic)
		at = append_ioapic(at);
	at = append(at, &nmi, sizeof(nmi));
	finish(&madt->header, "APIC", (uint32_t)(at - (uint8_t *)madt), MADT_REVISION);
	return madt;
}

static const void *build_pair(struct tables *tables, const struct acpi_config *config)
{
	const struct tk_acpi_body body = {
		.abi_version = TK_ABI_VERSION,
		.io_base = TK_IO_BASE,
		.io_length = TK_IO_LENGTH,
		.mmio_null_base = MAP_PAIR_NULL_BASE,
		.tsc_khz = config->tsc_khz,
		.flags = config->virtual_time ? TK_FLAG_VIRTUAL_TIME : 0,
		.pm_page_base = config->pm_page_base,
	};
	struct acpi_header *header = new_table(tables, sizeof(*header) + sizeof(body));

	memcpy(header + 1, &body, sizeof(body));
	finish(header, TK_ACPI_SIGNATURE, sizeof(*header) + sizeof(body), 1);
	return header;
}

/* XSDT and RSDT: the same list, in entries of 8 and of 4 bytes. */
static void fill_root(struct tables *tables, struct acpi_header *root, const char *signature,
		      unsigned entry_bytes, const void *const *listed, unsigned count)
{
	uint8_t *at = (uint8_t *)(root + 1);

	for (unsigned i = 0; i < count; i++) {
		uint64_t address = address_of(tables, listed[i]);

		at = append(at, &address, entry_bytes);
	}
	finish(root, signature, (uint32_t)(at - (uint8_t *)root), 1);
}

static void build_rsdp(struct tables *tables, struct acpi_rsdp *rsdp, const void *rsdt,
		       const void *xsdt)
{
	memcpy(rsdp->signature, "RSD PTR ", sizeof(rsdp->signature));
	memcpy(rsdp->oem_id, TK_ACPI_OEM_ID, sizeof(rsdp->oem_id));
	rsdp->revision = RSDP_REVISION;
	rsdp->rsdt_address = address_of(tables, rsdt);
	rsdp->length = sizeof(*rsdp);
	rsdp->xsdt_address = address_of(tables, xsdt);
	set_checksum(rsdp, ACPI_RSDP_OLD_BYTES, &rsdp->checksum);
	set_checksum(rsdp, sizeof(*rsdp), &rsdp->extended_checksum);
}

void acpi_build(const struct acpi_config *config, const struct ram *ram)
{
	struct tables tables = {.host = ram->host + MAP_ACPI_BASE};
	struct acpi_rsdp *rsdp = new_table(&tables, sizeof(*rsdp));
	struct acpi_header *xsdt = new_table(&tables,
					     sizeof(*xsdt) + ROOT_TABLES * sizeof(uint64_t));
	struct acpi_header *rsdt = new_table(&tables,
					     sizeof(*rsdt) + ROOT_TABLES * sizeof(uint32_t));
	const void *facs = build_facs(&tables), *dsdt = build_dsdt(&tables);
	const void *listed[ROOT_TABLES];
	unsigned count = 0;

	listed[count++] = build_fadt(&tables, config, facs, dsdt);
	listed[count++] = build_madt(&tables, config);
	if (config->pair)
		listed[count++] = build_pair(&tables, config);
	fill_root(&tables, xsdt, "XSDT", sizeof(uint64_t), listed, count);
	fill_root(&tables, rsdt, "RSDT", sizeof(uint32_t), listed, count);
	build_rsdp(&tables, rsdp, rsdt, xsdt);
}
