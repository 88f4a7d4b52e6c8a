/* Files, copies and the list of BC-24's images: see image.h. */
#include "image.h"

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image good;

static const char *directory;
static FILE *expect;

void open_list(const char *path)
{
	char name[4096];

	directory = path;
	snprintf(name, sizeof(name), "%s/expect.txt", path);
	expect = fopen(name, "w");
	if (!expect)
		err(1, "%s", name);
}

void close_list(void)
{
	if (fclose(expect))
		err(1, "%s/expect.txt", directory);
}

struct image read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct image image = {0};

	if (!file || fseek(file, 0, SEEK_END))
		err(1, "%s", path);
	image.size = (uint64_t)ftell(file);
	image.bytes = calloc(1, image.size);
	rewind(file);
	if (!image.bytes || fread(image.bytes, 1, image.size, file) != image.size)
		err(1, "%s", path);
	fclose(file);
	return image;
}

void write_image(const char *name, struct image image, const char *verdict)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "wb");
	if (!file || fwrite(image.bytes, 1, image.size, file) != image.size || fclose(file))
		err(1, "%s", path);
	fprintf(expect, "%s %s\n", name, verdict);
}

/* A copy of the good ELF, with a page of room behind it. */
struct image copy_good(void)
{
	struct image image = {malloc(good.size + PAGE), good.size};

	if (!image.bytes)
		err(1, "memory");
	memcpy(image.bytes, good.bytes, good.size);
	return image;
}

Elf64_Ehdr *header_of(struct image image)
{
	return (Elf64_Ehdr *)image.bytes;
}

Elf64_Phdr *segments_of(struct image image)
{
	return (Elf64_Phdr *)(image.bytes + header_of(image)->e_phoff);
}

static unsigned find_segment(enum part part)
{
	const Elf64_Phdr *segment = segments_of(good);
	unsigned count = header_of(good)->e_phnum;

	for (unsigned i = 0; i < count; i++) {
		bool loaded = segment[i].p_type == PT_LOAD;

		if ((part == CODE && loaded && (segment[i].p_flags & PF_X)) ||
		    (part == DATA && loaded && (segment[i].p_flags & PF_W)) ||
		    (part == SPARE && !loaded))
			return i;
	}
	errx(1, "the good image has no segment of kind %d", part);
}

Elf64_Phdr *segment(struct image image, enum part part)
{
	return &segments_of(image)[find_segment(part)];
}

void write_cut(const char *name, struct image whole, uint64_t size, const char *word)
{
	char verdict[64];

	snprintf(verdict, sizeof(verdict), "reject %s", word);
	whole.size = size;
	write_image(name, whole, verdict);
}

/* Loads nothing from the file; puts zeroed memory where it is told. */
static void set_memory_only(Elf64_Phdr *spare, uint64_t address, uint64_t bytes)
{
	*spare = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = UINT64_MAX, /* means nothing */
		.p_vaddr = address,
		.p_paddr = address,
		.p_memsz = bytes,
		.p_align = PAGE,
	};
}

void write_memory_only(const char *name, uint64_t address, uint64_t bytes, const char *verdict)
{
	struct image image = copy_good();

	set_memory_only(segment(image, SPARE), address, bytes);
	write_image(name, image, verdict);
	free(image.bytes);
}
