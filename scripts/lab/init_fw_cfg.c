/*
 * QEMU's fw_cfg from L1's userspace (QEMU docs/specs/fw_cfg). Data comes by its DMA
 * interface, a page an access: the emulator has written it before the instruction
 * after the OUT, so nothing depends on time. Physical addresses come from the page
 * map (Documentation/admin-guide/mm/pagemap.rst); the pages are locked.
 */
#define _GNU_SOURCE
#include "init.h"

#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port.h"

#define PORT_SELECT   0x510
#define PORT_DATA     0x511
#define PORT_DMA_HIGH 0x514 /* address of a struct dma_access, big-endian, high half first */
#define PORT_DMA_LOW  0x518
#define SELECT_FILES  0x19 /* the directory */

#define DMA_ERROR  1u
#define DMA_READ   2u
#define DMA_SELECT 8u

#define PAGE	     4096ul
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_FRAME   ((UINT64_C(1) << 55) - 1)

struct dma_access { /* big-endian */
	uint32_t control;
	uint32_t length;
	uint64_t address;
};

struct directory_entry { /* big-endian */
	uint32_t size;
	uint16_t selector;
	uint16_t reserved;
	char name[56];
};

bool fw_cfg_find(const char *name, struct fw_cfg_file *file)
{
	struct directory_entry entry;
	uint32_t count;

	outw(SELECT_FILES, PORT_SELECT);
	port_read(PORT_DATA, &count, sizeof(count));
	for (unsigned i = 0; i < ntohl(count); i++) {
		port_read(PORT_DATA, &entry, sizeof(entry));
		if (strncmp(entry.name, name, sizeof(entry.name)))
			continue;
		file->size = ntohl(entry.size);
		file->selector = ntohs(entry.selector);
		return true;
	}
	return false;
}

/* Of a locked page of ours; 0: not to be had. */
static uint64_t physical_address(const void *page)
{
	static int map = -1;
	uint64_t entry = 0;

	if (map < 0)
		map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pread(map, &entry, sizeof(entry), (off_t)((uintptr_t)page / PAGE * sizeof(entry))) !=
		    sizeof(entry) ||
	    !(entry & PAGE_PRESENT))
		return 0;
	return (entry & PAGE_FRAME) * PAGE + (uintptr_t)page % PAGE;
}

/* One access; with a selector, from the beginning of its item. */
static int dma_read(struct dma_access *access, int selector, void *page, size_t length)
{
	uint64_t at = physical_address(access);
	uint32_t control = DMA_READ | (selector >= 0 ? DMA_SELECT | (uint32_t)selector << 16 : 0);

	access->control = htobe32(control);
	access->length = htobe32((uint32_t)length);
	access->address = htobe64(physical_address(page));
	if (!at || !access->address)
		return -1;
	outl(htobe32((uint32_t)(at >> 32)), PORT_DMA_HIGH);
	outl(htobe32((uint32_t)at), PORT_DMA_LOW);
	return *(volatile uint32_t *)&access->control & htobe32(DMA_ERROR) ? -1 : 0;
}

static void *map_locked(int fd, size_t size)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED || mlock(memory, size))
		return NULL;
	for (size_t at = 0; at < size; at += PAGE)
		((volatile char *)memory)[at] = 0; /* a page of its own, not the zero page */
	return memory;
}

static int read_all(const struct fw_cfg_file *file, char *memory)
{
	struct dma_access *access = map_locked(-1, PAGE);
	int selector = file->selector;

	if (!access)
		return -1;
	for (size_t at = 0; at < file->size; at += PAGE) {
		size_t length = file->size - at < PAGE ? file->size - at : PAGE;

		if (dma_read(access, selector, memory + at, length))
			return -1;
		selector = -1;
	}
	munmap(access, PAGE);
	return 0;
}

char *fw_cfg_load(const struct fw_cfg_file *file)
{
	char *memory = map_locked(-1, file->size + 1);

	if (!memory || read_all(file, memory))
		abort();
	return memory;
}

/* The pages of the new file are the DMA's target: nothing is copied. */
int fw_cfg_save(const struct fw_cfg_file *file, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	void *memory;
	int result;

	if (fd < 0 || ftruncate(fd, file->size))
		return -1;
	memory = map_locked(fd, file->size ? file->size : 1);
	result = memory ? read_all(file, memory) : -1;
	if (memory)
		munmap(memory, file->size ? file->size : 1);
	close(fd);
	return result;
}
