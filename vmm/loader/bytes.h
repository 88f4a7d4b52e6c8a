/* Little-endian fields at any alignment. The host is x86, so they are copied as they are. */
#ifndef TICKVM_LOADER_BYTES_H
#define TICKVM_LOADER_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bytes_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint16_t bytes_u16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

#endif
