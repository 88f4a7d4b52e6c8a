/*
 * For the loader's tests: guest memory, a small good ELF, and the two damages that
 * every parser must bear: an end at every byte, and bytes flipped at random.
 */
#ifndef TICKVM_TESTS_IMAGES_H
#define TICKVM_TESTS_IMAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>
#include <sanitizer/asan_interface.h>

#include "vmm/error.h"
#include "vmm/loader/loader.h"
#include "vmm/loader/space.h"

#define TEST_RAM_BYTES 0x400000

static inline struct ram ram_new(void)
{
	struct ram ram = {calloc(1, TEST_RAM_BYTES), TEST_RAM_BYTES, 0};

	assert_non_null(ram.host);
	return ram;
}

static inline void ram_free(struct ram *ram)
{
	free(ram->host);
}

/* A refusal is one line of text and exit code 2. */
static inline void assert_refusal(const struct error *e)
{
	assert_int_equal(e->exit_code, 2);
	assert_true(e->text[0]);
	assert_null(strchr(e->text, '\n'));
}

static inline void assert_says(const struct error *e, const char *what)
{
	assert_refusal(e);
	if (!strstr(e->text, what))
		fail_msg("\"%s\" does not say \"%s\"", e->text, what);
}

/* ---- damage ---- */

/* Reads a whole image; -1 and an error, or 0 and none. */
typedef int image_reader(struct view image, void *state, struct error *e);

static inline int read_damaged(image_reader *reader, struct view image, void *state)
{
	struct error e = {0};
	int result = reader(image, state, &e);

	if (result < 0)
		assert_refusal(&e);
	else
		assert_int_equal(e.exit_code, 0);
	return result;
}

/* Every length from the whole to nothing; bytes past it may not be touched. Returns refusals. */
static inline unsigned truncate_everywhere(struct view good, image_reader *reader, void *state)
{
	struct view image = good;
	uint8_t *copy = malloc(good.size);
	unsigned refused = 0;

	memcpy(copy, good.data, good.size);
	image.data = copy;
	while (image.size--) {
		/* The rest is poisoned already, in whole granules of 8 bytes. */
		__asan_poison_memory_region(copy + image.size, good.size - image.size < 16
								       ? good.size - image.size
								       : 16);
		refused += read_damaged(reader, image, state) < 0;
		if (!image.size)
			break;
	}
	__asan_unpoison_memory_region(copy, good.size);
	free(copy);
	return refused;
}

/* xorshift64, the same numbers each time. */
static inline uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* `rounds` images with one to eight bytes of [from, to) changed. Returns refusals. */
static inline unsigned flip_bytes(struct view good, uint64_t from, uint64_t to, unsigned rounds,
				  image_reader *reader, void *state)
{
	uint8_t *copy = malloc(good.size);
	struct view image = {.data = copy, .size = good.size};
	uint64_t random = 0x7469636b766d;
	unsigned refused = 0;

	memcpy(copy, good.data, good.size);
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t places[8];
		unsigned count = 1 + next_random(&random) % 8;

		for (unsigned n = 0; n < count; n++) {
			places[n] = from + next_random(&random) % (to - from);
			copy[places[n]] = (uint8_t)next_random(&random);
		}
		refused += read_damaged(reader, image, state) < 0;
		for (unsigned n = 0; n < count; n++)
			copy[places[n]] = good.data[places[n]];
	}
	free(copy);
	return refused;
}

/* ---- a small ELF ---- */

#define SMALL_HEADER_OFFSET 0x100 /* of the multiboot header */
#define SMALL_TEXT	    0x100000
#define SMALL_TEXT_BYTES    0x180
#define SMALL_ENTRY	    (SMALL_TEXT + 0x140)
#define SMALL_DATA	    0x102180
#define SMALL_DATA_OFFSET   0x180
#define SMALL_DATA_BYTES    0x40
#define SMALL_DATA_MEMORY   0x1000
#define SMALL_SECTIONS	    0x1c0
#define SMALL_BYTES_64	    (SMALL_SECTIONS + 2 * sizeof(Elf64_Shdr))
#define SMALL_BYTES_32	    (SMALL_SECTIONS + 2 * sizeof(Elf32_Shdr))

/* Fields of the program headers of small_elf64(), by offset in the file. */
#define SMALL_PHDR(n, field) \
	(sizeof(Elf64_Ehdr) + (n) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field))

static inline void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline void small_contents(uint8_t *file)
{
	memset(file + SMALL_ENTRY - SMALL_TEXT, 0x90, 0x40);
	memset(file + SMALL_DATA_OFFSET, 0xda, SMALL_DATA_BYTES);
}

static inline void put_multiboot2(uint8_t *header)
{
	static const uint32_t words[] = {0xe85250d6, 0, 24, -(0xe85250d6u + 24), 0, 8};

	memcpy(header, words, sizeof(words));
}

/* ELF64 with a multiboot2 header: text, data with zeroed memory, a note. */
static inline void small_elf64(uint8_t file[SMALL_BYTES_64])
{
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = SMALL_ENTRY,
		.e_phoff = sizeof(header),
		.e_shoff = SMALL_SECTIONS,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 2,
		.e_shstrndx = 1,
	};
	const Elf64_Phdr segments[3] = {
		{PT_LOAD, PF_R | PF_X, 0, SMALL_TEXT, SMALL_TEXT, SMALL_TEXT_BYTES,
		 SMALL_TEXT_BYTES, 0x1000},
		{PT_LOAD, PF_R | PF_W, SMALL_DATA_OFFSET, SMALL_DATA, SMALL_DATA, SMALL_DATA_BYTES,
		 SMALL_DATA_MEMORY, 0x1000},
		{PT_NOTE, PF_R, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX, 0, 3},
	};
	const Elf64_Shdr sections[2] = {{0}, {.sh_type = SHT_STRTAB, .sh_size = 0x1234}};

	memset(file, 0, SMALL_BYTES_64);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), segments, sizeof(segments));
	memcpy(file + SMALL_SECTIONS, sections, sizeof(sections));
	put_multiboot2(file + SMALL_HEADER_OFFSET);
	small_contents(file);
}

/* ELF32 with a multiboot1 header: the same text and data. */
static inline void small_elf32(uint8_t file[SMALL_BYTES_32])
{
	const Elf32_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_386,
		.e_version = EV_CURRENT,
		.e_entry = SMALL_ENTRY,
		.e_phoff = sizeof(header),
		.e_shoff = SMALL_SECTIONS,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = 2,
		.e_shstrndx = 1,
	};
	const Elf32_Phdr segments[2] = {
		{PT_LOAD, 0, SMALL_TEXT, SMALL_TEXT, SMALL_TEXT_BYTES, SMALL_TEXT_BYTES,
		 PF_R | PF_X, 0x1000},
		{PT_LOAD, SMALL_DATA_OFFSET, SMALL_DATA, SMALL_DATA, SMALL_DATA_BYTES,
		 SMALL_DATA_MEMORY, PF_R | PF_W, 0x1000},
	};

	memset(file, 0, SMALL_BYTES_32);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), segments, sizeof(segments));
	put_u32(file + SMALL_HEADER_OFFSET, 0x1badb002);
	put_u32(file + SMALL_HEADER_OFFSET + 4, 3);
	put_u32(file + SMALL_HEADER_OFFSET + 8, -(0x1badb002u + 3));
	small_contents(file);
}

#endif
