/*
 * Guest memory, and the one way from a guest-physical address to a host pointer.
 *
 * RAM lies at 0 up to RAM_LOW_MAX; what does not fit there continues at 4 GiB,
 * so that the PCI and APIC windows stay free. Host memory is one mapping.
 */
#ifndef TICKVM_RAM_H
#define TICKVM_RAM_H

#include <stdint.h>

#define RAM_LOW_MAX   UINT64_C(0xc0000000)
#define RAM_HIGH_BASE UINT64_C(0x100000000)

struct ram {
	uint8_t *host; /* low part, then high part, contiguous */
	uint64_t low_size;
	uint64_t high_size;
};

/*
 * Host address of `length` bytes of guest memory at `address`; NULL if any byte
 * of the range is not RAM, or the range wraps around. A range never spans the
 * gap between the two parts. length 0 is valid anywhere in RAM or at its end.
 */
static inline void *ram_at(const struct ram *ram, uint64_t address, uint64_t length)
{
	if (address <= ram->low_size && length <= ram->low_size - address)
		return ram->host + address;
	if (address < RAM_HIGH_BASE)
		return 0;
	address -= RAM_HIGH_BASE;
	if (address <= ram->high_size && length <= ram->high_size - address)
		return ram->host + ram->low_size + address;
	return 0;
}

#endif
