/*
 * Instructions that C has no word for: ports, MSRs, CPUID, TSC, MMIO.
 */
#ifndef TICKVM_IO_H
#define TICKVM_IO_H

#include <stdint.h>

static inline uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline uint16_t in16(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline uint32_t in32(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* The memory clobbers order a port write after the stores that it announces. */
static inline void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void out16(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static inline void out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

/* `count` bytes to one port in one instruction. */
static inline void out8_string(uint16_t port, const void *data, unsigned long count)
{
	__asm__ volatile("rep outsb" : "+S"(data), "+c"(count) : "d"(port) : "memory");
}

static inline uint32_t mmio_read32(uint64_t address)
{
	uint32_t value;

	__asm__ volatile("movl (%1), %0" : "=r"(value) : "r"(address) : "memory");
	return value;
}

static inline void mmio_write32(uint64_t address, uint32_t value)
{
	__asm__ volatile("movl %0, (%1)" : : "r"(value), "r"(address) : "memory");
}

static inline uint64_t rdmsr(uint32_t msr)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
	return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	return r;
}

/* The TSC after all earlier loads (SDM vol. 2B, RDTSC: LFENCE orders it). */
static inline uint64_t rdtsc_ordered(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline void cpu_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
