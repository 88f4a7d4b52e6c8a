/*
 * The heap from below, pages from above, in one range; under one lock, as CPUs may
 * allocate at the same time.
 */
#include "memory.h"

#include <errno.h>

#include "app.h"
#include "lock.h"

static struct spin_lock lock;
static uint64_t heap_first, heap_end, pages_first;

void memory_init(uint64_t start, uint64_t end)
{
	heap_first = heap_end = (start + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1ull);
	pages_first = end & ~(PAGE_SIZE - 1ull);
	if (pages_first < heap_first)
		pages_first = heap_first;
}

uint64_t heap_start(void)
{
	return heap_first;
}

uint64_t heap_break(void)
{
	return heap_end;
}

/* A guard page below the lowest page, so that what runs off its end meets no object. */
uint64_t heap_limit(void)
{
	return pages_first - heap_first > PAGE_SIZE ? pages_first - PAGE_SIZE : heap_first;
}

void *page_alloc_dirty(unsigned count)
{
	bool irqs_on = spin_lock(&lock);
	uint64_t bytes = (uint64_t)count * PAGE_SIZE;
	void *pages = NULL;

	if (heap_limit() - heap_end >= bytes) {
		pages_first -= bytes;
		pages = (void *)pages_first;
	}
	spin_unlock(&lock, irqs_on);
	return pages;
}

void *page_alloc(unsigned count)
{
	void *pages = page_alloc_dirty(count);

	if (pages)
		__builtin_memset(pages, 0, (uint64_t)count * PAGE_SIZE);
	return pages;
}

void *heap_move(ptrdiff_t bytes)
{
	bool irqs_on = spin_lock(&lock);
	uint64_t old = heap_end;
	bool fits = bytes >= 0 ? (uint64_t)bytes <= heap_limit() - old
			       : -(uint64_t)bytes <= old - heap_first;

	if (MUTANT(sbrk_no_limit))
		fits = true;
	if (fits)
		heap_end = old + bytes;
	spin_unlock(&lock, irqs_on);
	if (!fits) {
		errno = ENOMEM;
		return (void *)-1;
	}
	return (void *)(MUTANT(sbrk_new_break) ? old + bytes : old);
}
