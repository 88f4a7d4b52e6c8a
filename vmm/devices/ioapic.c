/* I/O APIC 82093AA: see ioapic.h; register and bit names of its data sheet, chapter 3. */
#include "ioapic.h"

#include "../mutant.h"

#include <string.h>

enum { WINDOW_SELECT = 0x00, WINDOW_DATA = 0x10 };

enum { REG_ID = 0, REG_VERSION = 1, REG_ARBITRATION = 2, REG_REDIRECTION = 0x10 };
enum { ID_SHIFT = 24, ID_MASK = 0x0f };
enum { VERSION = 0x11, VERSION_LAST_PIN_SHIFT = 16 };

/* Redirection table entry, low half, and the fields of a message that come from it. */
#define ENTRY_VECTOR		UINT64_C(0xff)
#define ENTRY_DELIVERY_MODE	UINT64_C(0x700) /* same bits in a message's data */
#define ENTRY_LOGICAL		(UINT64_C(1) << 11)
#define ENTRY_STATUS		(UINT64_C(1) << 12) /* read only: never pending here */
#define ENTRY_REMOTE_IRR	(UINT64_C(1) << 14) /* read only */
#define ENTRY_LEVEL		(UINT64_C(1) << 15)
#define ENTRY_MASKED		(UINT64_C(1) << 16)
#define ENTRY_WRITABLE		(UINT64_C(0xff0000000001ffff) & ~(ENTRY_STATUS | ENTRY_REMOTE_IRR))
#define ENTRY_DESTINATION_SHIFT 56

#define MSI_ADDRESS	      UINT64_C(0xfee00000)
#define MSI_DESTINATION_SHIFT 12
#define MSI_LOGICAL	      (UINT64_C(1) << 2)
#define MSI_ASSERT	      (UINT32_C(1) << 14)
#define MSI_LEVEL	      (UINT32_C(1) << 15)

static void deliver(struct ioapic *ioapic, unsigned pin)
{
	uint64_t address;
	uint32_t data;
	bool masked;

	ioapic_message(ioapic, pin, &address, &data, &masked);
	ioapic->ops.deliver(ioapic->ops.opaque, address, data);
}

/*
 * A level-triggered pin sends while its line is asserted, once until its EOI. Called
 * wherever line, entry or remote IRR may have changed.
 */
static void update_level_pin(struct ioapic *ioapic, unsigned pin)
{
	uint64_t *entry = &ioapic->state.redirection[pin];

	if (!(*entry & ENTRY_LEVEL) || (*entry & (ENTRY_MASKED | ENTRY_REMOTE_IRR)))
		return;
	if (!(ioapic->state.lines >> pin & 1))
		return;
	*entry |= ENTRY_REMOTE_IRR;
	deliver(ioapic, pin);
}

static void write_entry(struct ioapic *ioapic, unsigned pin, uint64_t value, uint64_t mask)
{
	uint64_t *entry = &ioapic->state.redirection[pin];

	mask &= ENTRY_WRITABLE;
	*entry = (*entry & ~mask) | (value & mask);
	if (!(*entry & ENTRY_LEVEL)) /* there is no remote IRR for edges */
		*entry &= ~ENTRY_REMOTE_IRR;
	ioapic->ops.routes_changed(ioapic->ops.opaque);
	update_level_pin(ioapic, pin);
}

static uint32_t read_register(const struct ioapic_state *s)
{
	unsigned half = (unsigned)s->select - REG_REDIRECTION;

	switch (s->select) {
	case REG_ID:
	case REG_ARBITRATION:
		return (uint32_t)s->id << ID_SHIFT;
	case REG_VERSION:
		return VERSION | (IOAPIC_PINS - 1) << VERSION_LAST_PIN_SHIFT;
	}
	if (half >= 2 * IOAPIC_PINS)
		return UINT32_MAX;
	return (uint32_t)(s->redirection[half / 2] >> (half % 2 * 32));
}

static void write_register(struct ioapic *ioapic, uint32_t value)
{
	unsigned half = (unsigned)ioapic->state.select - REG_REDIRECTION;
	unsigned shift = half % 2 * 32;

	if (ioapic->state.select == REG_ID)
		ioapic->state.id = value >> ID_SHIFT & ID_MASK;
	else if (half < 2 * IOAPIC_PINS)
		write_entry(ioapic, half / 2, (uint64_t)value << shift,
			    (uint64_t)UINT32_MAX << shift);
}

static uint64_t ioapic_read(void *state, struct bus_access access)
{
	struct ioapic *ioapic = state;
	uint32_t value = UINT32_MAX;

	pthread_mutex_lock(&ioapic->lock);
	if (access.offset == WINDOW_SELECT)
		value = ioapic->state.select;
	else if (access.offset == WINDOW_DATA)
		value = read_register(&ioapic->state);
	pthread_mutex_unlock(&ioapic->lock);
	return value;
}

static void ioapic_write(void *state, struct bus_access access, uint64_t value)
{
	struct ioapic *ioapic = state;

	pthread_mutex_lock(&ioapic->lock);
	if (access.offset == WINDOW_SELECT)
		ioapic->state.select = (uint8_t)value;
	else if (access.offset == WINDOW_DATA)
		write_register(ioapic, (uint32_t)value);
	pthread_mutex_unlock(&ioapic->lock);
}

void ioapic_init(struct ioapic *ioapic, const struct ioapic_ops *ops)
{
	memset(&ioapic->state, 0, sizeof(ioapic->state));
	memset(ioapic->served, 0, sizeof(ioapic->served));
	for (unsigned pin = 0; pin < IOAPIC_PINS; pin++)
		ioapic->state.redirection[pin] = ENTRY_MASKED;
	ioapic->ops = *ops;
	pthread_mutex_init(&ioapic->lock, NULL);
}

struct bus_region ioapic_region(struct ioapic *ioapic, uint64_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "ioapic",
		.base = base,
		.length = IOAPIC_BYTES,
		.sizes = 4,
		.read = ioapic_read,
		.write = ioapic_write,
		.state = ioapic,
		.lock = lock,
	};
}

/*
 * Of mutant ioapic_eoi_by_destination: an edge waits until the one before was ended, by
 * whatever CPU the pin is aimed at by then. One that was aimed elsewhere waits for ever. KVM
 * tells of no edge's end, so a move while none is in service counts as well.
 */
static bool waits_for_end(struct ioapic *ioapic, unsigned pin)
{
	uint16_t aim = 1 + (uint16_t)(ioapic->state.redirection[pin] >> ENTRY_DESTINATION_SHIFT);

	if (!ioapic->served[pin])
		ioapic->served[pin] = aim;
	return ioapic->served[pin] != aim;
}

void ioapic_set_line(struct ioapic *ioapic, unsigned pin, bool level)
{
	uint32_t bit = UINT32_C(1) << pin;
	uint64_t entry;
	bool rises;

	pthread_mutex_lock(&ioapic->lock);
	entry = ioapic->state.redirection[pin];
	rises = level && !(ioapic->state.lines & bit);
	ioapic->state.lines = level ? ioapic->state.lines | bit : ioapic->state.lines & ~bit;
	if (entry & ENTRY_LEVEL)
		update_level_pin(ioapic, pin);
	else if (rises && !(entry & ENTRY_MASKED) && /* an edge on a masked pin is lost */
		 !(MUTANT(ioapic_eoi_by_destination) && waits_for_end(ioapic, pin)))
		deliver(ioapic, pin);
	pthread_mutex_unlock(&ioapic->lock);
}

void ioapic_eoi(struct ioapic *ioapic, uint8_t vector)
{
	pthread_mutex_lock(&ioapic->lock);
	for (unsigned pin = 0; pin < IOAPIC_PINS; pin++) {
		uint64_t *entry = &ioapic->state.redirection[pin];

		if (!(*entry & ENTRY_REMOTE_IRR) || (*entry & ENTRY_VECTOR) != vector)
			continue;
		*entry &= ~ENTRY_REMOTE_IRR;
		update_level_pin(ioapic, pin);
	}
	pthread_mutex_unlock(&ioapic->lock);
}

void ioapic_message(const struct ioapic *ioapic, unsigned pin, uint64_t *msi_address,
		    uint32_t *msi_data, bool *masked)
{
	uint64_t entry = ioapic->state.redirection[pin];

	*msi_address = MSI_ADDRESS | entry >> ENTRY_DESTINATION_SHIFT << MSI_DESTINATION_SHIFT;
	if (entry & ENTRY_LOGICAL)
		*msi_address |= MSI_LOGICAL;
	*msi_data = (uint32_t)(entry & (ENTRY_VECTOR | ENTRY_DELIVERY_MODE));
	if (entry & ENTRY_LEVEL)
		*msi_data |= MSI_LEVEL | MSI_ASSERT;
	*masked = entry & ENTRY_MASKED;
}
