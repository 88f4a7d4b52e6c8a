/*
 * Where things are in the machine's address spaces: the ports and addresses that
 * devices are put at and that the ACPI tables state. One list for both.
 */
#ifndef TICKVM_MACHINE_MAP_H
#define TICKVM_MACHINE_MAP_H

#define MAP_RTC_PORT	  0x70	/* index and data, to 0x71 */
#define MAP_COM1_PORT	  0x3f8 /* 8 ports */
#define MAP_FW_CFG_PORT	  0x510 /* selector (16 bits) and data, to 0x511 */
#define MAP_PM1_EVT_PORT  0x600 /* status and enable, 2 bytes each */
#define MAP_PM1_CNT_PORT  0x604 /* control, 2 bytes */
#define MAP_PM_TIMER_PORT 0x608 /* 4 bytes */
#define MAP_UNUSED_PORT	  0x61c /* kept free */
#define MAP_RESET_PORT	  0xcf9
#define MAP_RESET_VALUE	  0x06

#define MAP_COM1_GSI 4
#define MAP_RTC_GSI  8
#define MAP_SCI_GSI  9
#define MAP_DISK_GSI 5 /* edge-triggered, as ISA interrupts are without an override */
#define MAP_PIT_GSI  2 /* ISA interrupt 0, by an override in the MADT */

#define MAP_SLP_TYP_S5 0 /* SLP_TYP value of \_S5 in the DSDT */

#define MAP_DISK_BASE	   0xd0000000 /* a page: virtio-mmio, with --disk */
#define MAP_IOAPIC_BASE	   0xfec00000
#define MAP_PAIR_NULL_BASE 0xfed80000 /* a page: struct tk_acpi_body.mmio_null_base */
#define MAP_PM_PAGE_BASE   0xfed90000 /* a page: struct tk_pm_page, with --pmtimer=exitless */
#define MAP_LAPIC_BASE	   0xfee00000
#define MAP_KVM_TSS_BASE   0xfffbd000 /* three pages that KVM wants on Intel */

#define MAP_EBDA_END  0x0a0000 /* end of conventional memory */
#define MAP_ACPI_BASE 0x0e0000 /* the BIOS area: RSDP first, on 16 bytes, tables after it */
#define MAP_ACPI_END  0x100000

#endif
