/*
 * Text without newlib: strings, hexadecimal and decimal numbers, appended to a line.
 */
#include "text.h"

static void append(struct text *text, char c)
{
	if (text->length < sizeof(text->data))
		text->data[text->length++] = c;
}

void text_string(struct text *text, const char *string)
{
	while (*string)
		append(text, *string++);
}

void text_hex_digits(struct text *text, uint64_t value, unsigned digits)
{
	while (digits--)
		append(text, "0123456789abcdef"[value >> (4 * digits) & 15]);
}

void text_hex(struct text *text, uint64_t value)
{
	unsigned digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	text_hex_digits(text, value, digits);
}

void text_decimal(struct text *text, uint64_t value)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = '0' + value % 10;
		value /= 10;
	} while (value);
	while (n)
		append(text, digits[--n]);
}
