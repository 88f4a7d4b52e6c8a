/*
 * ELF executables for x86, 64 and 32 bits: checked whole before a byte is copied.
 */
#ifndef TICKVM_LOADER_ELF_H
#define TICKVM_LOADER_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "loader.h"
#include "space.h"

struct elf {
	struct view file;
	bool is_64;
	Elf64_Ehdr header; /* a 32-bit one is widened */
};

/* Whether a file begins with ELF's magic number. */
bool elf_is(struct view file);

/* Reads and checks the header and the place of both header tables. */
int elf_open(struct view file, struct elf *elf, struct error *e);

/* Copies every segment to its physical address, and notes it as taken. */
int elf_load(const struct elf *elf, const struct ram *ram, struct space *space, struct error *e);

/*
 * Where the CPU starts: `physical` when not NULL (a boot header's own entry), else
 * e_entry. It must lie in the bytes that the file gives to an executable segment.
 */
int elf_entry(const struct elf *elf, const uint32_t *physical, uint32_t *entry, struct error *e);

/* Program header `index` (< elf->header.e_phnum); a 32-bit one is widened. */
Elf64_Phdr elf_segment(const struct elf *elf, unsigned index);

/* Section header `index` (< elf->header.e_shnum), as it stands in the file. */
const uint8_t *elf_section(const struct elf *elf, unsigned index);

#endif
