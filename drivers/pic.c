/*
 * A pair of 8259A interrupt controllers, silenced (Intel 8259A data sheet).
 *
 * Interrupts come by the I/O APIC. But a PIC that firmware left at vectors 8 to
 * 15 could look like a fault, and even with all lines masked it can raise its
 * spurious interrupt 7: so it is moved off the exceptions before it is masked.
 */
#include "drivers/acpi.h"
#include "drivers/table.h"
#include "kernel/io.h"

#define MASTER_PORT 0x20
#define SLAVE_PORT  0xa0
#define DATA	    1 /* the second port of each */

#define ICW1_INIT_ICW4 0x11
#define ICW4_8086      0x01
#define CASCADE_LINE   2
#define MASK_ALL       0xff

#define FIRST_VECTOR 0x20 /* the first after the CPU's own; nothing is attached to these 16 */

static void pic_init(uint16_t port, uint8_t vector, uint8_t cascade)
{
	out8(port, ICW1_INIT_ICW4);
	out8(port + DATA, vector);
	out8(port + DATA, cascade);
	out8(port + DATA, ICW4_8086);
	out8(port + DATA, MASK_ALL);
}

void pic_probe(void)
{
	if (acpi_info()->no_8259)
		return;
	pic_init(MASTER_PORT, FIRST_VECTOR, 1 << CASCADE_LINE);
	pic_init(SLAVE_PORT, FIRST_VECTOR + 8, CASCADE_LINE);
}
