/* The Multiboot2 header: Multiboot2 specification 2.0 § 3.1. */
#include "multiboot2.h"

#include "../../kernel/abi.h"
#include "../error.h"
#include "bytes.h"

#define SEARCH_BYTES	32768
#define SEARCH_STEP	8
#define HEADER_MAGIC	0xe85250d6
#define HEADER_BYTES	16
#define ARCHITECTURE_PC 0
#define TAG_BYTES	8
#define TAG_OPTIONAL	1
#define LOAD_WHOLE_FILE UINT32_MAX /* load_addr of the address tag: from the file's first byte */

enum tag_type {
	TAG_END = 0,
	TAG_INFORMATION_REQUEST = 1,
	TAG_ADDRESS = 2,
	TAG_ENTRY_ADDRESS = 3,
	TAG_CONSOLE_FLAGS = 4,
	TAG_MODULE_ALIGNMENT = 6,
	TAG_EFI_ENTRY_32 = 8,
	TAG_EFI_ENTRY_64 = 9,
	TAG_RELOCATABLE = 10,
};

#define CONSOLE_REQUIRED 1

struct tag {
	uint16_t type, flags;
	uint32_t size;
	const uint8_t *data; /* after the tag's first 8 bytes */
};

struct search {
	uint32_t offset; /* of the header in the file */
	struct multiboot2_header *header;
	struct error *error;
};

static int refuse(const struct search *search, const char *what, uint32_t value)
{
	return error_set(search->error, TK_EXIT_USAGE, "multiboot2 header at 0x%x: %s 0x%x",
			 search->offset, what, value);
}

static bool is_given(uint32_t type)
{
	return type == MULTIBOOT2_INFO_CMDLINE || type == MULTIBOOT2_INFO_LOADER_NAME ||
	       type == MULTIBOOT2_INFO_MODULE || type == MULTIBOOT2_INFO_BASIC_MEMORY ||
	       type == MULTIBOOT2_INFO_MEMORY_MAP || type == MULTIBOOT2_INFO_ELF_SECTIONS ||
	       type == MULTIBOOT2_INFO_ACPI_OLD || type == MULTIBOOT2_INFO_ACPI_NEW;
}

static int read_request(const struct search *search, const struct tag *tag)
{
	if (tag->flags & TAG_OPTIONAL)
		return 0;
	for (uint32_t at = 0; at + sizeof(uint32_t) <= tag->size - TAG_BYTES;
	     at += sizeof(uint32_t)) {
		uint32_t type = bytes_u32(tag->data + at);

		if (!is_given(type))
			return refuse(search, "needs boot information of type", type);
	}
	return 0;
}

static int read_addresses(const struct search *search, const struct tag *tag)
{
	struct flat_image *image = &search->header->addresses;

	if (tag->size < TAG_BYTES + 4 * sizeof(uint32_t))
		return refuse(search, "address tag's size", tag->size);
	image->header_offset = search->offset;
	image->header_addr = bytes_u32(tag->data);
	image->load_addr = bytes_u32(tag->data + 4);
	image->load_end_addr = bytes_u32(tag->data + 8);
	image->bss_end_addr = bytes_u32(tag->data + 12);
	if (image->load_addr == LOAD_WHOLE_FILE) {
		if (image->header_addr < search->offset)
			return refuse(search, "address tag's header_addr", image->header_addr);
		image->load_addr = image->header_addr - search->offset;
	}
	search->header->has_addresses = true;
	return 0;
}

static int read_entry(const struct search *search, const struct tag *tag)
{
	if (tag->size < TAG_BYTES + sizeof(uint32_t))
		return refuse(search, "entry tag's size", tag->size);
	search->header->entry = bytes_u32(tag->data);
	search->header->has_entry = true;
	return 0;
}

/* There is no console of the two kinds that the tag knows; the guest has a UART. */
static int read_console(const struct search *search, const struct tag *tag)
{
	if (tag->size < TAG_BYTES + sizeof(uint32_t))
		return refuse(search, "console tag's size", tag->size);
	if (!(tag->flags & TAG_OPTIONAL) && (bytes_u32(tag->data) & CONSOLE_REQUIRED))
		return refuse(search, "needs a console, flags", bytes_u32(tag->data));
	return 0;
}

static int read_tag(const struct search *search, const struct tag *tag)
{
	switch (tag->type) {
	case TAG_INFORMATION_REQUEST:
		return read_request(search, tag);
	case TAG_ADDRESS:
		return read_addresses(search, tag);
	case TAG_ENTRY_ADDRESS:
		return read_entry(search, tag);
	case TAG_CONSOLE_FLAGS:
		return read_console(search, tag);
	case TAG_MODULE_ALIGNMENT: /* always given */
	case TAG_EFI_ENTRY_32:	   /* this is no EFI firmware */
	case TAG_EFI_ENTRY_64:
	case TAG_RELOCATABLE: /* may be moved, need not be */
		return 0;
	default:
		return tag->flags & TAG_OPTIONAL ? 0
						 : refuse(search, "needs unknown tag", tag->type);
	}
}

static int read_tags(const struct search *search, struct view tags)
{
	uint64_t at = 0;

	while (tags.size - at >= TAG_BYTES) {
		const uint8_t *bytes = tags.data + at;
		struct tag tag = {bytes_u16(bytes), bytes_u16(bytes + 2), bytes_u32(bytes + 4),
				  bytes + TAG_BYTES};

		if (tag.size < TAG_BYTES || tag.size > tags.size - at)
			return refuse(search, "tag size", tag.size);
		if (tag.type == TAG_END)
			return 0;
		if (read_tag(search, &tag) < 0)
			return -1;
		at += tag.size;
		at = (at + 7) & ~UINT64_C(7);
		if (at > tags.size)
			break;
	}
	return refuse(search, "no end tag, header length", (uint32_t)tags.size + HEADER_BYTES);
}

static int read_header(const struct search *search, struct view file)
{
	const uint8_t *at = file.data + search->offset;
	uint32_t architecture = bytes_u32(at + 4), length = bytes_u32(at + 8);
	struct view header;

	if (architecture != ARCHITECTURE_PC)
		return refuse(search, "architecture", architecture);
	if (length < HEADER_BYTES || view_slice(file, search->offset, length, &header) < 0)
		return refuse(search, "header length", length);
	header.data += HEADER_BYTES;
	header.size -= HEADER_BYTES;
	return read_tags(search, header) < 0 ? -1 : 1;
}

int multiboot2_find(struct view file, struct multiboot2_header *header, struct error *e)
{
	struct search search = {.header = header, .error = e};
	int result = 0;

	*header = (struct multiboot2_header){0};
	if (file.size > SEARCH_BYTES)
		file.size = SEARCH_BYTES;
	for (; search.offset + HEADER_BYTES <= file.size; search.offset += SEARCH_STEP) {
		const uint8_t *at = file.data + search.offset;
		uint32_t sum = bytes_u32(at) + bytes_u32(at + 4) + bytes_u32(at + 8) +
			       bytes_u32(at + 12);

		if (bytes_u32(at) != HEADER_MAGIC)
			continue;
		if (!sum)
			return read_header(&search, file);
		/* Perhaps a chance: named only if no header follows. */
		if (!result)
			result = refuse(&search, "checksum is off by", sum);
	}
	return result;
}
