/*
 * ACPI tables: RSDP, XSDT or RSDT, FADT (ACPI 6.5 § 5.2).
 *
 * A table is believed only when its bytes add up to 0; another is left out with
 * a line that names it. Only tables that are asked for are added up.
 */
#include "drivers/acpi.h"

#include <string.h>

#include "drivers/madt.h"
#include "drivers/table.h"
#include "kernel/bootinfo.h"
#include "kernel/console.h"
#include "kernel/io.h"
#include "kernel/pair.h"

#define BDA_EBDA_SEGMENT 0x40e /* in the BIOS data area, a real-mode segment */
#define EBDA_SEARCHED	 1024
#define BIOS_AREA_START	 0xe0000
#define BIOS_AREA_END	 0x100000

/* § 5.2.5.3 */
struct rsdp {
	char signature[8];
	uint8_t checksum; /* of the first 20 bytes: revision 0 ends there */
	char oem_id[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length;
	uint64_t xsdt;
	uint8_t extended_checksum;
	uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct rsdp) == 36, "rsdp is 36 bytes");
#define RSDP_OLD_SIZE 20

static const struct acpi_header *root; /* XSDT or RSDT */
static unsigned pointer_size;	       /* of the root's entries: 8 or 4 */
static struct acpi_fadt fadt;
static struct acpi_info info;

static uint64_t load64(const uint8_t *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/*
 * Sum of the bytes modulo 256, eight at a time in four lanes of 16 bits that are
 * cut back to 8 before they can spill over. length is 8 at least.
 */
static uint8_t byte_sum(const void *data, uint32_t length)
{
	const uint64_t lanes = 0x00ff00ff00ff00ff;
	const uint8_t *bytes = data, *last = bytes + length - sizeof(uint64_t);
	unsigned rest = length % sizeof(uint64_t);
	uint64_t sum = 0, word;

#pragma GCC unroll 4
	for (; bytes <= last; bytes += sizeof(word)) {
		word = load64(bytes);
		sum = (sum + (word & lanes) + (word >> 8 & lanes)) & lanes;
	}
	if (rest) {
		word = load64(last) >> 8 * (sizeof(word) - rest);
		sum += (word & lanes) + (word >> 8 & lanes);
	}
	return sum + (sum >> 16) + (sum >> 32) + (sum >> 48);
}

static void complain(const char *signature, const char *why)
{
	static const char start[] = "# ACPI: table ";

	console_write(start, sizeof(start) - 1);
	console_write(signature, sizeof(((struct acpi_header *)0)->signature));
	console_write(why, strlen(why));
}

static bool has_signature(const struct acpi_header *table, const char *signature)
{
	return memcmp(table->signature, signature, sizeof(table->signature)) == 0;
}

/* The header at an address, or NULL if it is not in reach. */
static const struct acpi_header *header_at(uint64_t address)
{
	if (!address || address > ACPI_REACH_END - sizeof(struct acpi_header))
		return NULL;
	return (const struct acpi_header *)address;
}

const struct acpi_header *acpi_check(uint64_t address, const char *signature)
{
	const struct acpi_header *table = header_at(address);

	if (!table) {
		complain(signature, " ignored: not in the first 4 GiB\n");
		return NULL;
	}
	if (!has_signature(table, signature) || table->length < sizeof(*table) ||
	    table->length > ACPI_REACH_END - address) {
		complain(signature, " ignored: bad header\n");
		return NULL;
	}
	if (byte_sum(table, table->length)) {
		complain(signature, " ignored: bad checksum\n");
		return NULL;
	}
	return table;
}

const struct acpi_header *acpi_find(const char *signature)
{
	const uint8_t *entry = (const uint8_t *)(root + 1);
	unsigned count = root ? (root->length - sizeof(*root)) / pointer_size : 0;

	for (; count; count--, entry += pointer_size) {
		const struct acpi_header *table;
		uint64_t address = 0;

		memcpy(&address, entry, pointer_size == 8 ? 8 : 4);
		table = header_at(address);
		if (table && has_signature(table, signature) && acpi_check(address, signature))
			return table;
	}
	return NULL;
}

static bool is_rsdp(uint64_t address)
{
	const struct rsdp *rsdp = (const struct rsdp *)address;

	return memcmp(rsdp->signature, "RSD PTR ", sizeof(rsdp->signature)) == 0 &&
	       byte_sum(rsdp, RSDP_OLD_SIZE) == 0;
}

static uint64_t search_rsdp(uint64_t start, uint64_t end)
{
	for (uint64_t address = start; address < end; address += 16)
		if (is_rsdp(address))
			return address;
	return 0;
}

/* From the boot loader, else where a BIOS puts it (§ 5.2.5.1). */
static const struct rsdp *find_rsdp(void)
{
	uint64_t address = bootinfo()->rsdp;

	if (address) {
		if (address <= ACPI_REACH_END - sizeof(struct rsdp) && is_rsdp(address))
			return (const struct rsdp *)address;
		complain("RSDP", " ignored: bad address, signature or checksum\n");
		return NULL;
	}
	address = (uint64_t)(mmio_read32(BDA_EBDA_SEGMENT) & 0xffff) << 4;
	if (address)
		address = search_rsdp(address, address + EBDA_SEARCHED);
	if (!address)
		address = search_rsdp(BIOS_AREA_START, BIOS_AREA_END);
	return (const struct rsdp *)address;
}

/* The XSDT; the RSDT where there is none or it is damaged. */
static void find_root(const struct rsdp *rsdp)
{
	if (rsdp->revision >= 2 && rsdp->length >= sizeof(*rsdp) && rsdp->xsdt) {
		if (rsdp->length > ACPI_REACH_END - (uint64_t)rsdp || byte_sum(rsdp, rsdp->length))
			complain("RSDP", ": bad extended checksum, using the RSDT\n");
		else
			root = acpi_check(rsdp->xsdt, "XSDT");
	}
	pointer_size = 8;
	if (!root && rsdp->rsdt) {
		root = acpi_check(rsdp->rsdt, "RSDT");
		pointer_size = 4;
	}
}

/* A fixed block's port: the extended address counts where it is given (§ 5.2.9). */
static uint16_t block_port(const struct acpi_address *extended, uint32_t port)
{
	if (extended->address)
		return extended->space == ACPI_SPACE_IO ? extended->address : 0;
	return port;
}

static void read_fadt(void)
{
	const struct acpi_header *table = acpi_find("FACP");

	if (!table)
		return;
	memcpy(&fadt, table, table->length < sizeof(fadt) ? table->length : sizeof(fadt));
	info.century_index = fadt.century;
	if (fadt.flags & ACPI_FADT_HARDWARE_REDUCED)
		return;
	info.pm1a_event_port = block_port(&fadt.x_pm1a_event, fadt.pm1a_event);
	info.pm1a_control_port = block_port(&fadt.x_pm1a_control, fadt.pm1a_control);
	info.pm1b_control_port = block_port(&fadt.x_pm1b_control, fadt.pm1b_control);
	info.pm_timer_port = block_port(&fadt.x_pm_timer, fadt.pm_timer);
	info.pm_timer_width = fadt.flags & ACPI_FADT_TIMER_32BIT ? 32 : 24;
}

static void read_pair_table(void)
{
	const struct acpi_header *table = acpi_find(TK_ACPI_SIGNATURE);

	if (table)
		pair_attach((const struct tk_acpi_body *)(table + 1),
			    table->length - sizeof(*table));
}

const struct acpi_info *acpi_info(void)
{
	return &info;
}

const struct acpi_fadt *acpi_fadt(void)
{
	return &fadt;
}

void acpi_probe(void)
{
	const struct rsdp *rsdp = find_rsdp();

	if (!rsdp)
		return;
	find_root(rsdp);
	read_pair_table();
	read_fadt();
	madt_read(&info);
	if (info.pm1a_event_port)
		info.sci_gsi = acpi_isa_gsi(fadt.sci_int);
}
