/*
 * The port and MMIO tables: who answers at an address.
 *
 * A device offers regions {base, length, read, write, state}; the machine puts
 * them in a table before the first guest instruction and never changes it, so
 * that look-ups need no lock. A region names the lock that guards its state, or
 * NULL where the device's comment says why it needs none.
 */
#ifndef TICKVM_DEVICES_BUS_H
#define TICKVM_DEVICES_BUS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

/*
 * One access. `offset` is from the region's base, `size` 1, 2, 4 (or 8, MMIO);
 * `cpu` is the index of the accessing vCPU.
 */
struct bus_access {
	uint32_t offset;
	uint8_t size;
	uint8_t cpu;
};

struct bus_region {
	const char *name; /* as shown in reports: "pmtimer" */
	uint64_t base;	  /* first port or guest-physical address */
	uint64_t length;  /* > 0 */
	uint8_t sizes;	  /* sum of the access sizes that the region takes: 1 | 2 | 4 | 8 */
	uint64_t (*read)(void *state, struct bus_access access);
	void (*write)(void *state, struct bus_access access, uint64_t value);
	void *state;
	pthread_mutex_t *lock;
};

#define BUS_REGIONS_MAX 64
#define BUS_UNCLAIMED	0 /* index of the region that stands for no region */
#define BUS_PORTS	0x10000

struct bus {
	struct bus_region regions[BUS_REGIONS_MAX]; /* [BUS_UNCLAIMED] answers all ones */
	unsigned count;				    /* used entries, BUS_UNCLAIMED included */
	uint8_t *ports;				    /* port -> region index; NULL on an MMIO bus */
};

/* ports: a zeroed array of BUS_PORTS for the port bus, NULL for MMIO. */
void bus_init(struct bus *bus, uint8_t *ports);

/* Adds a region; exit code 2 and a line when it overlaps another or the table is full. */
int bus_add(struct bus *bus, const struct bus_region *region, struct error *e);

/* Has every region guarded by this lock, in place of its own: --lock=big. */
void bus_guard(struct bus *bus, pthread_mutex_t *lock);

/* Index of the region that claims `address`; BUS_UNCLAIMED if none does. */
unsigned bus_find(const struct bus *bus, uint64_t address);

/* The same for a port of the port bus: the hot path. */
static inline unsigned bus_find_port(const struct bus *bus, uint16_t port)
{
	return bus->ports[port];
}

/*
 * One access of `size` bytes at `address`, region `index` as bus_find() gave it.
 * A region that does not take this size, or ends before the access does, reads
 * all ones and ignores writes: a PC bus floats high.
 */
uint64_t bus_read(const struct bus *bus, unsigned index, uint64_t address, unsigned size,
		  unsigned cpu);
void bus_write(const struct bus *bus, unsigned index, uint64_t address, unsigned size, unsigned cpu,
	       uint64_t value);

#endif
