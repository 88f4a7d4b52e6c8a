/*
 * ACPI tables: finding one, and what the fixed ones say about this machine.
 */
#ifndef TICKVM_DRIVERS_ACPI_H
#define TICKVM_DRIVERS_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel maps the first 4 GiB, one to one; what lies above is out of reach. */
#define ACPI_REACH_END (1ull << 32)

/* The header of every table but the RSDP (ACPI 6.5 § 5.2.6). */
struct acpi_header {
	char signature[4];
	uint32_t length; /* of the table, with this header */
	uint8_t revision;
	uint8_t checksum;
	char oem_id[6];
	char oem_table_id[8];
	uint32_t oem_revision;
	char creator_id[4];
	uint32_t creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_header) == 36, "acpi_header is 36 bytes");

/* Generic address structure (§ 5.2.3.2). */
enum acpi_space { ACPI_SPACE_MEMORY = 0, ACPI_SPACE_IO = 1 };
struct acpi_address {
	uint8_t space;
	uint8_t bit_width;
	uint8_t bit_offset;
	uint8_t access_size;
	uint64_t address;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_address) == 12, "acpi_address is 12 bytes");

/* Fixed ACPI description table (§ 5.2.9). */
struct acpi_fadt {
	struct acpi_header header;
	uint32_t firmware_control;
	uint32_t dsdt;
	uint8_t reserved0;
	uint8_t pm_profile;
	uint16_t sci_int;
	uint32_t smi_command;
	uint8_t acpi_enable;
	uint8_t acpi_disable;
	uint8_t s4bios_request;
	uint8_t pstate_control;
	uint32_t pm1a_event, pm1b_event;
	uint32_t pm1a_control, pm1b_control;
	uint32_t pm2_control;
	uint32_t pm_timer;
	uint32_t gpe0, gpe1;
	uint8_t lengths[8]; /* of those blocks */
	uint16_t c2_latency, c3_latency;
	uint16_t flush_size, flush_stride;
	uint8_t duty_offset, duty_width;
	uint8_t day_alarm, month_alarm;
	uint8_t century;
	uint16_t boot_architecture;
	uint8_t reserved1;
	uint32_t flags;
	struct acpi_address reset_register;
	uint8_t reset_value;
	uint16_t arm_boot_architecture;
	uint8_t minor_version;
	uint64_t x_firmware_control;
	uint64_t x_dsdt;
	struct acpi_address x_pm1a_event, x_pm1b_event;
	struct acpi_address x_pm1a_control, x_pm1b_control;
	struct acpi_address x_pm2_control;
	struct acpi_address x_pm_timer;
	struct acpi_address x_gpe0, x_gpe1;
	struct acpi_address sleep_control, sleep_status;
	uint64_t hypervisor_vendor;
} __attribute__((packed));
_Static_assert(offsetof(struct acpi_fadt, pm_timer) == 76, "PM_TMR_BLK at 76");
_Static_assert(offsetof(struct acpi_fadt, century) == 108, "CENTURY at 108");
_Static_assert(offsetof(struct acpi_fadt, reset_register) == 116, "RESET_REG at 116");
_Static_assert(offsetof(struct acpi_fadt, x_pm_timer) == 208, "X_PM_TMR_BLK at 208");
_Static_assert(sizeof(struct acpi_fadt) == 276, "acpi_fadt is 276 bytes");

#define ACPI_FADT_TIMER_32BIT	   (1u << 8)  /* TMR_VAL_EXT */
#define ACPI_FADT_RESET_REGISTER   (1u << 10) /* RESET_REG_SUP */
#define ACPI_FADT_HARDWARE_REDUCED (1u << 20) /* no PM1 block, no PM timer */

#define ACPI_OVERRIDES_MAX 16

/* An ISA interrupt that does not reach the I/O APIC as ISA's rules say (§ 5.2.12.5). */
struct acpi_override {
	uint8_t isa_irq;
	uint32_t gsi;
	uint16_t flags; /* MPS INTI flags */
};

/* What the FADT and the MADT say; 0 where there is none. */
struct acpi_info {
	uint16_t sci_gsi;
	uint16_t pm1a_event_port;   /* PM1_STS, 16 bits; PM1_EN follows */
	uint16_t pm1a_control_port; /* PM1_CNT */
	uint16_t pm1b_control_port;
	uint16_t pm_timer_port;
	uint8_t pm_timer_width; /* 24 or 32 bits */
	uint8_t century_index;	/* in the RTC's memory */
	bool no_8259;		/* the MADT denies a pair of 8259A */
	uint32_t ioapic_address;
	uint32_t ioapic_gsi_base;
	unsigned override_count;
	struct acpi_override overrides[ACPI_OVERRIDES_MAX];
};

/* Always there, all 0 on a machine without ACPI. */
const struct acpi_info *acpi_info(void);

/* A copy of the FADT; fields that its revision does not have are 0, as all are without one. */
const struct acpi_fadt *acpi_fadt(void);

/* The first table with this signature of 4 characters whose checksum is right; NULL: none. */
const struct acpi_header *acpi_find(const char *signature);

/* The table at this address if it can be reached and its checksum is right, else a line and NULL.
 */
const struct acpi_header *acpi_check(uint64_t address, const char *signature);

/* The GSI that an ISA interrupt comes in at. */
unsigned acpi_isa_gsi(unsigned isa_irq);

/* How a GSI signals, from overrides or its bus's rule. */
struct acpi_trigger {
	bool level, active_low;
};
struct acpi_trigger acpi_gsi_trigger(unsigned gsi);

#endif
