/* What the makers of BC-24's images share: the good image, copies of it, and the list. */
#ifndef TICKVM_CASES_BC24_IMAGE_H
#define TICKVM_CASES_BC24_IMAGE_H

#include <elf.h>
#include <stdint.h>

#define PAGE	     4096
#define DEFAULT_RAM  (UINT64_C(64) << 20) /* tickvm run without --mem */
#define SMALL_RAM    (UINT64_C(2) << 20)
#define SMALL_OPTION " --mem=2M"

struct image {
	uint8_t *bytes;
	uint64_t size;
};

/* The good ELF. */
extern struct image good;

struct image read_file(const char *path);

/* Where write_image() writes, and where it lists what is expected of each. */
void open_list(const char *directory);
void close_list(void);

/* `verdict`: "reject WORD" or "boot [OPTION …]". */
void write_image(const char *name, struct image image, const char *verdict);

/* The first `size` bytes, which must be refused with this word. */
void write_cut(const char *name, struct image whole, uint64_t size, const char *word);

/* A copy of the good ELF, with a page of room behind it. */
struct image copy_good(void);

Elf64_Ehdr *header_of(struct image image);
Elf64_Phdr *segments_of(struct image image);

/* The segments that are changed: code, data with zeroed memory, and one that is not loaded. */
enum part { HEADER, CODE, DATA, SPARE };
Elf64_Phdr *segment(struct image image, enum part part);

/* The spare segment becomes one of zeroed memory only. */
void write_memory_only(const char *name, uint64_t address, uint64_t bytes, const char *verdict);

/* The groups of images. */
void write_changes(void);
void write_bad_shapes(void);
void write_odd(void);
void write_isos(const char *path);

#endif
