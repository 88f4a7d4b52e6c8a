/*
 * Symbol tables: which function an address lies in, of an ELF file (System V gABI,
 * chapter 4) or of a Linux kernel as /proc/kallsyms lists it.
 */
#ifndef TICKVM_BACKENDS_SYMBOLS_H
#define TICKVM_BACKENDS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../loader/loader.h"

struct symbol {
	uint64_t address;
	uint32_t name; /* offset into `names` */
	uint8_t rank;  /* of several at an address the one of the least rank stays */
};

struct symbols {
	struct symbol *list; /* sorted by address, one an address */
	uint32_t count, capacity;
	char *names;
	uint32_t names_size, names_capacity;
	uint64_t low, high; /* virtual addresses that an ELF file loads: [low, high) */
};

/*
 * The code symbols of an executable; none if it is a 32-bit one or has no symbol
 * table. -1: not an executable, or a table lies outside of the file.
 */
int symbols_read_elf(struct view file, struct symbols *symbols, struct error *e);

/* The code symbols of a kernel and its modules: "svm_vcpu_run [kvm_amd]". -1: malformed. */
int symbols_read_kallsyms(struct view text, struct symbols *symbols, struct error *e);

void symbols_free(struct symbols *symbols);

/* The last symbol at or before the address; NULL: none. */
const char *symbols_find(const struct symbols *symbols, uint64_t address);

/* False: there is no symbol of this name. */
bool symbols_address(const struct symbols *symbols, const char *name, uint64_t *address);

/*
 * For the readers: appends a symbol; `name` is not closed by NUL. -1: out of memory.
 * symbols_sort() ends the list.
 */
int symbols_add(struct symbols *symbols, struct symbol symbol, const char *name, size_t length,
		struct error *e);
void symbols_sort(struct symbols *symbols);

#endif
