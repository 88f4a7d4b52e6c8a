/*
 * Layouts of the ACPI tables that are built here: ACPI 6.5 § 5.2. Names are the
 * specification's, in this project's spelling.
 */
#ifndef TICKVM_LOADER_ACPI_TABLES_H
#define TICKVM_LOADER_ACPI_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* § 5.2.5.3 */
struct acpi_rsdp {
	char signature[8];
	uint8_t checksum; /* of the first 20 bytes */
	char oem_id[6];
	uint8_t revision;
	uint32_t rsdt_address;
	uint32_t length;
	uint64_t xsdt_address;
	uint8_t extended_checksum; /* of all */
	uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_rsdp) == 36, "the RSDP is 36 bytes");
#define ACPI_RSDP_OLD_BYTES 20

/* § 5.2.6 */
struct acpi_header {
	char signature[4];
	uint32_t length;
	uint8_t revision;
	uint8_t checksum;
	char oem_id[6];
	char oem_table_id[8];
	uint32_t oem_revision;
	char creator_id[4];
	uint32_t creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_header) == 36, "an ACPI table's header is 36 bytes");

/* § 5.2.3.2, generic address structure */
struct acpi_address {
	uint8_t space;
	uint8_t bit_width;
	uint8_t bit_offset;
	uint8_t access_size; /* 1 byte, 2 word, 3 dword */
	uint64_t address;
} __attribute__((packed));
#define ACPI_SPACE_IO 1

/* § 5.2.9 */
struct acpi_fadt {
	struct acpi_header header;
	uint32_t firmware_ctrl;
	uint32_t dsdt;
	uint8_t reserved0;
	uint8_t preferred_pm_profile;
	uint16_t sci_int;
	uint32_t smi_cmd;
	uint8_t acpi_enable, acpi_disable, s4bios_req, pstate_cnt;
	uint32_t pm1a_evt_blk, pm1b_evt_blk;
	uint32_t pm1a_cnt_blk, pm1b_cnt_blk, pm2_cnt_blk;
	uint32_t pm_tmr_blk;
	uint32_t gpe0_blk, gpe1_blk;
	uint8_t pm1_evt_len, pm1_cnt_len, pm2_cnt_len, pm_tmr_len;
	uint8_t gpe0_blk_len, gpe1_blk_len, gpe1_base, cst_cnt;
	uint16_t p_lvl2_lat, p_lvl3_lat;
	uint16_t flush_size, flush_stride;
	uint8_t duty_offset, duty_width;
	uint8_t day_alrm, mon_alrm, century;
	uint16_t iapc_boot_arch;
	uint8_t reserved1;
	uint32_t flags;
	struct acpi_address reset_reg;
	uint8_t reset_value;
	uint16_t arm_boot_arch;
	uint8_t minor_version;
	uint64_t x_firmware_ctrl;
	uint64_t x_dsdt;
	struct acpi_address x_pm1a_evt_blk, x_pm1b_evt_blk;
	struct acpi_address x_pm1a_cnt_blk, x_pm1b_cnt_blk, x_pm2_cnt_blk;
	struct acpi_address x_pm_tmr_blk;
	struct acpi_address x_gpe0_blk, x_gpe1_blk;
	struct acpi_address sleep_control_reg, sleep_status_reg;
	uint64_t hypervisor_vendor;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_fadt) == 276, "the FADT of revision 6 is 276 bytes");
_Static_assert(offsetof(struct acpi_fadt, pm_tmr_blk) == 76, "PM_TMR_BLK at 76");
_Static_assert(offsetof(struct acpi_fadt, flags) == 112, "flags at 112");
_Static_assert(offsetof(struct acpi_fadt, x_pm_tmr_blk) == 208, "X_PM_TMR_BLK at 208");

enum acpi_fadt_flag {
	ACPI_FADT_WBINVD = 1 << 0,
	ACPI_FADT_PROC_C1 = 1 << 2,
	ACPI_FADT_NO_POWER_BUTTON = 1 << 4, /* no fixed-hardware one */
	ACPI_FADT_NO_SLEEP_BUTTON = 1 << 5,
	ACPI_FADT_NO_FIXED_RTC = 1 << 6, /* the RTC's wake status is in no fixed register */
	ACPI_FADT_TMR_VAL_EXT = 1 << 8,	 /* the PM timer has 32 bits, not 24 */
	ACPI_FADT_RESET_REG_SUP = 1 << 10,
};

enum acpi_boot_arch {
	ACPI_BOOT_LEGACY_DEVICES = 1 << 0,
	ACPI_BOOT_NO_VGA = 1 << 2,
	ACPI_BOOT_NO_MSI = 1 << 3,
	ACPI_BOOT_NO_ASPM = 1 << 4,
};

/* § 5.2.10 */
struct acpi_facs {
	char signature[4];
	uint32_t length;
	uint32_t hardware_signature;
	uint32_t waking_vector;
	uint32_t global_lock;
	uint32_t flags;
	uint64_t x_waking_vector;
	uint8_t version;
	uint8_t reserved[31];
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_facs) == 64, "the FACS is 64 bytes");

/* § 5.2.12 */
struct acpi_madt {
	struct acpi_header header;
	uint32_t lapic_address;
	uint32_t flags;
} __attribute__((packed));
#define ACPI_MADT_PCAT_COMPAT 1 /* there are 8259s, to be masked */

struct acpi_madt_lapic {
	uint8_t type, length;
	uint8_t uid, apic_id;
	uint32_t flags;
} __attribute__((packed));
#define ACPI_MADT_LAPIC		0
#define ACPI_MADT_LAPIC_ENABLED 1

struct acpi_madt_ioapic {
	uint8_t type, length;
	uint8_t id, reserved;
	uint32_t address;
	uint32_t gsi_base;
} __attribute__((packed));
#define ACPI_MADT_IOAPIC 1

struct acpi_madt_override {
	uint8_t type, length;
	uint8_t bus, source;
	uint32_t gsi;
	uint16_t flags;
} __attribute__((packed));
#define ACPI_MADT_OVERRIDE	    2
#define ACPI_MADT_AS_THE_BUS	    0
#define ACPI_MADT_ACTIVE_HIGH_LEVEL 0xd

struct acpi_madt_lapic_nmi {
	uint8_t type, length;
	uint8_t uid;
	uint16_t flags;
	uint8_t lint;
} __attribute__((packed));
#define ACPI_MADT_LAPIC_NMI 4
#define ACPI_MADT_ALL_UIDS  0xff

#endif
