/* BC-24: odd but legal images, which boot. */
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define JUMP_BYTES 5 /* jmp rel32 */

static void put_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	int32_t distance = (int32_t)(to - (from + JUMP_BYTES));

	*at = 0xe9;
	memcpy(at + 1, &distance, sizeof(distance));
}

/* The code segment's last page is filled up; its last instruction leads to the entry. */
static void write_entry_at_segment_end(void)
{
	struct image image = copy_good();
	Elf64_Ehdr *header = header_of(image);
	Elf64_Phdr *code = segment(image, CODE);
	uint64_t bytes = (code->p_filesz + JUMP_BYTES + PAGE - 1) & -(uint64_t)PAGE;
	uint64_t entry = code->p_vaddr + bytes - JUMP_BYTES;

	put_jump(image.bytes + code->p_offset + bytes - JUMP_BYTES, entry, header->e_entry);
	code->p_filesz = bytes;
	code->p_memsz = bytes;
	header->e_entry = entry;
	write_image("entry-in-last-page-of-segment.elf", image, "boot");
	free(image.bytes);
}

/* A segment of one jump, the last bytes of RAM; its bytes are the file's last. */
static void write_entry_at_ram_end(void)
{
	struct image image = copy_good();
	Elf64_Ehdr *header = header_of(image);
	uint64_t entry = SMALL_RAM - JUMP_BYTES;

	put_jump(image.bytes + image.size, entry, header->e_entry);
	*segment(image, SPARE) = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = image.size,
		.p_vaddr = entry,
		.p_paddr = entry,
		.p_filesz = JUMP_BYTES,
		.p_memsz = JUMP_BYTES,
		.p_align = 1,
	};
	header->e_entry = entry;
	image.size += JUMP_BYTES;
	write_image("entry-in-last-page-of-ram.elf", image, "boot" SMALL_OPTION);
	free(image.bytes);
}

/* The segment table is the last thing in the file. */
static void write_table_at_file_end(void)
{
	struct image image = copy_good();
	Elf64_Ehdr *header = header_of(image);
	uint64_t bytes = header->e_phnum * sizeof(Elf64_Phdr);

	image.size = (image.size + 7) & ~UINT64_C(7);
	memcpy(image.bytes + image.size, segments_of(image), bytes);
	header->e_phoff = image.size;
	image.size += bytes;
	write_image("segment-table-at-end.elf", image, "boot");
	free(image.bytes);
}

/* Nothing after the last segment's bytes. */
static void write_without_sections(void)
{
	struct image image = copy_good();
	Elf64_Ehdr *header = header_of(image);
	const Elf64_Phdr *data = segment(image, DATA);

	header->e_shoff = 0;
	header->e_shnum = 0;
	header->e_shstrndx = 0;
	write_image("no-section-headers.elf", image, "boot");
	image.size = data->p_offset + data->p_filesz;
	write_image("ends-with-last-segment.elf", image, "boot");
	free(image.bytes);
}

static void write_data_to_ram_end(void)
{
	struct image image = copy_good();
	Elf64_Phdr *data = segment(image, DATA);

	data->p_memsz = SMALL_RAM - data->p_paddr;
	write_image("data-to-end-of-ram.elf", image, "boot" SMALL_OPTION);
	data->p_memsz = DEFAULT_RAM - data->p_paddr + 1;
	write_image("data-past-end-of-ram.elf", image, "reject p_memsz");
	free(image.bytes);
}

void write_odd(void)
{
	write_image("good.elf", good, "boot");
	write_memory_only("zero-size.elf", UINT64_MAX, 0, "boot");
	write_memory_only("zeroed-memory-only.elf", 0x1800000, 3 * PAGE + 1, "boot");
	write_memory_only("last-byte-of-ram.elf", SMALL_RAM - 1, 1, "boot" SMALL_OPTION);
	write_memory_only("last-page-of-ram.elf", SMALL_RAM - PAGE, PAGE, "boot" SMALL_OPTION);
	write_memory_only("last-conventional-memory.elf", 0x9fbff, 1, "boot");
	write_entry_at_segment_end();
	write_entry_at_ram_end();
	write_table_at_file_end();
	write_without_sections();
	write_data_to_ram_end();
}
