/*
 * Writes a table of fields one after another. Without memory it only counts, so
 * that the same function that writes a table also tells its size beforehand.
 */
#ifndef TICKVM_LOADER_WRITER_H
#define TICKVM_LOADER_WRITER_H

#include <stdint.h>
#include <string.h>

struct writer {
	uint8_t *memory; /* zero; NULL: count only */
	uint32_t length; /* written so far */
};

static inline void write_bytes(struct writer *writer, const void *bytes, uint32_t length)
{
	if (writer->memory && length)
		memcpy(writer->memory + writer->length, bytes, length);
	writer->length += length;
}

static inline void write_u32(struct writer *writer, uint32_t value)
{
	write_bytes(writer, &value, sizeof(value));
}

static inline void write_u64(struct writer *writer, uint64_t value)
{
	write_bytes(writer, &value, sizeof(value));
}

/* With its NUL. */
static inline void write_string(struct writer *writer, const char *text)
{
	write_bytes(writer, text, (uint32_t)strlen(text) + 1);
}

static inline void write_align(struct writer *writer, uint32_t alignment)
{
	writer->length = (writer->length + alignment - 1) & -alignment;
}

#endif
