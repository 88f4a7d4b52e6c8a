/*
 * String I/O on a port. The C library's insb() and outsb() do not tell the compiler
 * that they touch memory; these do.
 */
#ifndef TICKVM_LAB_PORT_H
#define TICKVM_LAB_PORT_H

#include <stddef.h>
#include <stdint.h>

static inline void port_read(uint16_t port, void *data, size_t length)
{
	__asm__ volatile("rep insb" : "+D"(data), "+c"(length) : "d"(port) : "memory");
}

static inline void port_write(uint16_t port, const void *data, size_t length)
{
	__asm__ volatile("rep outsb" : "+S"(data), "+c"(length) : "d"(port) : "memory");
}

#endif
