/* The port and MMIO tables: see bus.h. */
#include "bus.h"

#include "../../kernel/abi.h"
#include "../error.h"

#include <string.h>

/* All ones of 1 to 8 bytes. */
static uint64_t ones(unsigned size)
{
	return UINT64_MAX >> (64 - size * 8);
}

void bus_init(struct bus *bus, uint8_t *ports)
{
	memset(bus, 0, sizeof(*bus));
	bus->regions[BUS_UNCLAIMED].name = "unclaimed";
	bus->count = BUS_UNCLAIMED + 1;
	bus->ports = ports;
}

/* Last address of a region; regions end below 2^64, so that nothing here wraps. */
static uint64_t last(const struct bus_region *region)
{
	return region->base + (region->length - 1);
}

static bool fits(const struct bus *bus, const struct bus_region *region)
{
	if (!region->length || last(region) < region->base)
		return false;
	return !bus->ports || last(region) < BUS_PORTS;
}

int bus_add(struct bus *bus, const struct bus_region *region, struct error *e)
{
	if (bus->count == BUS_REGIONS_MAX)
		return error_set(e, TK_EXIT_USAGE, "%s: no room in the bus table (%d regions)",
				 region->name, BUS_REGIONS_MAX);
	if (!fits(bus, region))
		return error_set(e, TK_EXIT_USAGE, "%s at %#llx: not inside the address space",
				 region->name, (unsigned long long)region->base);
	for (unsigned i = BUS_UNCLAIMED + 1; i < bus->count; i++) {
		const struct bus_region *other = &bus->regions[i];

		if (region->base <= last(other) && other->base <= last(region))
			return error_set(e, TK_EXIT_USAGE, "%s at %#llx overlaps %s at %#llx",
					 region->name, (unsigned long long)region->base,
					 other->name, (unsigned long long)other->base);
	}
	if (bus->ports)
		memset(bus->ports + region->base, (int)bus->count, region->length);
	bus->regions[bus->count++] = *region;
	return 0;
}

void bus_guard(struct bus *bus, pthread_mutex_t *lock)
{
	for (unsigned i = BUS_UNCLAIMED + 1; i < bus->count; i++)
		bus->regions[i].lock = lock;
}

unsigned bus_find(const struct bus *bus, uint64_t address)
{
	if (bus->ports)
		return address < BUS_PORTS ? bus->ports[address] : BUS_UNCLAIMED;
	for (unsigned i = BUS_UNCLAIMED + 1; i < bus->count; i++)
		if (address - bus->regions[i].base < bus->regions[i].length)
			return i;
	return BUS_UNCLAIMED;
}

/* Sizes are powers of two, but for the parts of an MMIO access that crosses a page. */
static bool takes(const struct bus_region *region, uint64_t offset, unsigned size)
{
	bool power = (size & (size - 1)) == 0;

	return power && (region->sizes & size) && size <= region->length - offset;
}

uint64_t bus_read(const struct bus *bus, unsigned index, uint64_t address, unsigned size,
		  unsigned cpu)
{
	const struct bus_region *region = &bus->regions[index];
	struct bus_access access = {.size = (uint8_t)size, .cpu = (uint8_t)cpu};
	uint64_t value;

	if (index == BUS_UNCLAIMED || !takes(region, address - region->base, size))
		return ones(size);
	access.offset = (uint32_t)(address - region->base);
	if (!region->lock)
		return region->read(region->state, access) & ones(size);
	pthread_mutex_lock(region->lock);
	value = region->read(region->state, access) & ones(size);
	pthread_mutex_unlock(region->lock);
	return value;
}

void bus_write(const struct bus *bus, unsigned index, uint64_t address, unsigned size, unsigned cpu,
	       uint64_t value)
{
	const struct bus_region *region = &bus->regions[index];
	struct bus_access access = {.size = (uint8_t)size, .cpu = (uint8_t)cpu};

	if (index == BUS_UNCLAIMED || !takes(region, address - region->base, size))
		return;
	access.offset = (uint32_t)(address - region->base);
	if (!region->lock) {
		region->write(region->state, access, value & ones(size));
		return;
	}
	pthread_mutex_lock(region->lock);
	region->write(region->state, access, value & ones(size));
	pthread_mutex_unlock(region->lock);
}
