/*
 * Memory: one RAM range from the end of the image up. The heap grows from its
 * start, pages (stacks, per-CPU areas) come off its end; sbrk stops a guard page
 * short of the lowest page that was given out.
 */
#ifndef TICKVM_MEMORY_H
#define TICKVM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_SIZE 4096

/* The range, from the boot information. Called once, before anything allocates. */
void memory_init(uint64_t start, uint64_t end);

/* `count` pages, zeroed, never given back; NULL: they would meet the heap. */
void *page_alloc(unsigned count);

/* The same, with whatever is in them. */
void *page_alloc_dirty(unsigned count);

/* Where the heap begins, is, and must stop. */
uint64_t heap_start(void);
uint64_t heap_break(void);
uint64_t heap_limit(void);

/* sbrk's rules on that range: returns the old break, or -1 and errno ENOMEM with nothing changed.
 */
void *heap_move(ptrdiff_t bytes);

#endif
