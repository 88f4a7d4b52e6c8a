/*
 * A line of text made without newlib: for faults, where nothing may be trusted,
 * and for bulk, where printf costs too much.
 */
#ifndef TICKVM_TEXT_H
#define TICKVM_TEXT_H

#include <stdint.h>

struct text {
	unsigned length;
	char data[512];
};

/* Each appends; what does not fit is dropped. */
void text_string(struct text *text, const char *string);
void text_hex(struct text *text, uint64_t value); /* as short as can be */
void text_hex_digits(struct text *text, uint64_t value, unsigned digits);
void text_decimal(struct text *text, uint64_t value);

#endif
