/* Loading by address fields: Multiboot 0.6.96 § 3.1.3, Multiboot2 2.0 § 3.1.5. */
#include "flat.h"

#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

static int bad(struct error *e, const char *field, uint32_t value, const char *should)
{
	return error_set(e, TK_EXIT_USAGE, "multiboot address fields: %s 0x%x: %s", field, value,
			 should);
}

/* The part of the file that is loaded. */
static int find_source(struct view file, const struct flat_image *image, struct view *source,
		       struct error *e)
{
	uint32_t before, length;

	if (image->load_addr > image->header_addr)
		return bad(e, "load_addr", image->load_addr, "above header_addr");
	before = image->header_addr - image->load_addr;
	if (before > image->header_offset)
		return bad(e, "load_addr", image->load_addr, "before the file's first byte");
	if (file.size - (image->header_offset - before) > UINT32_MAX)
		return error_set(e, TK_EXIT_USAGE, "multiboot address fields: file over 4 GiB");
	length = (uint32_t)file.size - (image->header_offset - before);
	if (image->load_end_addr) {
		if (image->load_end_addr < image->load_addr)
			return bad(e, "load_end_addr", image->load_end_addr, "below load_addr");
		length = image->load_end_addr - image->load_addr;
	}
	if (view_slice(file, image->header_offset - before, length, source) < 0)
		return bad(e, "load_end_addr", image->load_end_addr, "after the file's last byte");
	return 0;
}

/* Bytes of memory: those of the file, and the zeroed ones after them. */
static int find_length(const struct flat_image *image, uint64_t loaded, uint64_t *length,
		       struct error *e)
{
	*length = loaded;
	if (!image->bss_end_addr)
		return 0;
	if (image->bss_end_addr < image->load_addr ||
	    image->bss_end_addr - image->load_addr < loaded)
		return bad(e, "bss_end_addr", image->bss_end_addr, "before the end of the image");
	*length = image->bss_end_addr - image->load_addr;
	return 0;
}

int flat_load(struct view file, const struct flat_image *image, const struct ram *ram,
	      struct space *space, struct error *e)
{
	const struct space_range *taken;
	struct view source = {0};
	uint64_t length;
	void *target;

	if (find_source(file, image, &source, e) < 0 ||
	    find_length(image, source.size, &length, e) < 0)
		return -1;
	target = ram_at(ram, image->load_addr, length);
	if (!target)
		return bad(e, "load_addr", image->load_addr, "image ends outside RAM (see --mem)");
	taken = space_overlap(space, image->load_addr, length);
	if (taken)
		return error_set(e, TK_EXIT_USAGE,
				 "multiboot address fields: load_addr 0x%x: overlaps %s",
				 image->load_addr, taken->name);
	if (image->entry_addr < image->load_addr ||
	    image->entry_addr - image->load_addr >= source.size)
		return bad(e, "entry_addr", image->entry_addr, "not in the image");
	memcpy(target, source.data, source.size);
	return space_take(space, image->load_addr, length, "the image", e);
}
