/* Guest RAM on the host: see memory.h. */
#include "memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../kernel/abi.h"
#include "error.h"

#define HUGE_PAGE (UINT64_C(2) << 20)

/* The first multiple of HUGE_PAGE in a mapping that has HUGE_PAGE bytes to spare. */
static uint8_t *align_up(uint8_t *address)
{
	return address + (-(uintptr_t)address & (HUGE_PAGE - 1));
}

/*
 * Aligned, so that the kernel can back guest huge pages by host ones: a fault on
 * 2 MiB at once, and shallower shadow or nested page tables.
 */
static uint8_t *map_aligned(uint64_t bytes)
{
	uint8_t *whole = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *aligned;

	if (whole == MAP_FAILED)
		return NULL;
	aligned = align_up(whole);
	if (aligned > whole)
		munmap(whole, (size_t)(aligned - whole));
	munmap(aligned + bytes, (size_t)(whole + HUGE_PAGE - aligned));
	return aligned;
}

int memory_allocate(struct ram *ram, uint64_t bytes, struct error *e)
{
	uint8_t *host = map_aligned(bytes);

	if (!host)
		return error_set(e, TK_EXIT_SKIPPED, "--mem: the host cannot map %llu MiB: %s",
				 (unsigned long long)(bytes >> 20), strerror(errno));
	/* Advice: a kernel without huge pages refuses it, and the run is only slower. */
	madvise(host, bytes, MADV_HUGEPAGE);
	/* A child would make the guest copy its pages, and lose the huge ones. */
	madvise(host, bytes, MADV_DONTFORK);
	ram->host = host;
	ram->low_size = bytes < RAM_LOW_MAX ? bytes : RAM_LOW_MAX;
	ram->high_size = bytes - ram->low_size;
	return 0;
}

void memory_release(struct ram *ram)
{
	if (ram->host)
		munmap(ram->host, ram->low_size + ram->high_size);
	ram->host = NULL;
}
