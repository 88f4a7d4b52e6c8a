/*
 * The devices that ACPI's fixed hardware does not cover, and the sleep states
 * (ACPI 6.5 § 7.4.2, § 19). Ports and interrupts come from the machine's one list.
 */
#include "../machine_map.h"

DefinitionBlock ("", "DSDT", 2, "TICKVM", "TICKPAIR", 0x00000001)
{
	/* Soft off is the only sleep state. */
	Name (\_S5, Package () { MAP_SLP_TYP_S5, MAP_SLP_TYP_S5, Zero, Zero })

	Scope (\_SB)
	{
		Device (COM1)
		{
			Name (_HID, EisaId ("PNP0501"))
			Name (_UID, One)
			Name (_CRS, ResourceTemplate ()
			{
				IO (Decode16, MAP_COM1_PORT, MAP_COM1_PORT, 1, 8)
				IRQNoFlags () { MAP_COM1_GSI }
			})
		}

		Device (RTC)
		{
			Name (_HID, EisaId ("PNP0B00"))
			Name (_CRS, ResourceTemplate ()
			{
				IO (Decode16, MAP_RTC_PORT, MAP_RTC_PORT, 1, 2)
				IRQNoFlags () { MAP_RTC_GSI }
			})
		}

		Device (TIMR)
		{
			Name (_HID, EisaId ("PNP0100"))
			Name (_CRS, ResourceTemplate ()
			{
				IO (Decode16, 0x40, 0x40, 1, 4)
				IRQNoFlags () { 0 }
			})
		}

		/* Keeps an operating system from giving the fixed hardware's ports away. */
		Device (MBRD)
		{
			Name (_HID, EisaId ("PNP0C02"))
			Name (_CRS, ResourceTemplate ()
			{
				IO (Decode16, MAP_PM1_EVT_PORT, MAP_PM1_EVT_PORT, 1, 4)
				IO (Decode16, MAP_PM1_CNT_PORT, MAP_PM1_CNT_PORT, 1, 2)
				IO (Decode16, MAP_PM_TIMER_PORT, MAP_PM_TIMER_PORT, 1, 4)
				IO (Decode16, MAP_RESET_PORT, MAP_RESET_PORT, 1, 1)
			})
		}
	}
}
