/*
 * Symbols of a running Linux kernel, as /proc/kallsyms lists them (kernel/kallsyms.c):
 * "ADDRESS TYPE NAME", and behind a tab "[MODULE]"; types as nm(1) has them. See symbols.h.
 */
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "symbols.h"

struct line {
	const char *at, *end;
};

/* Cuts the next line off; false: there is none. */
static bool next_line(struct line *text, struct line *line)
{
	const char *newline;

	if (text->at == text->end)
		return false;
	newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
	line->at = text->at;
	line->end = newline ? newline : text->end;
	text->at = newline ? newline + 1 : text->end;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Address, blank, type, blank. False: it begins otherwise. */
static bool take_head(struct line *line, uint64_t *address, char *type)
{
	unsigned digits = 0;

	*address = 0;
	for (; line->at < line->end && hex_digit(*line->at) >= 0; line->at++, digits++)
		*address = *address << 4 | (unsigned)hex_digit(*line->at);
	if (digits != 16 || line->end - line->at < 4 || line->at[0] != ' ' || line->at[2] != ' ')
		return false;
	*type = line->at[1];
	line->at += 3;
	return true;
}

/* Functions: of all the kernel, weak, of one file. */
static int rank_of(char type)
{
	switch (type) {
	case 'T':
		return 0;
	case 'W':
	case 'w':
		return 1;
	case 't':
		return 2;
	default:
		return -1;
	}
}

/* The module's name stands behind a tab; a blank is as good and is what oopses have. */
static int add(struct line name, uint64_t address, int rank, struct symbols *symbols,
	       struct error *e)
{
	char text[256];
	size_t length = (size_t)(name.end - name.at);
	char *tab;

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, name.at, length);
	tab = memchr(text, '\t', length);
	if (tab)
		*tab = ' ';
	return symbols_add(symbols, (struct symbol){.address = address, .rank = (uint8_t)rank},
			   text, length, e);
}

static int read_lines(struct line text, struct symbols *symbols, struct error *e)
{
	struct line line;

	while (next_line(&text, &line)) {
		uint64_t address;
		char type;

		if (!take_head(&line, &address, &type))
			return error_set(e, TK_EXIT_USAGE,
					 "kallsyms: a line is not ADDRESS TYPE NAME");
		/* A reader without privileges gets zeroes for addresses. */
		if (address >> 63 && rank_of(type) >= 0 &&
		    add(line, address, rank_of(type), symbols, e))
			return -1;
	}
	return 0;
}

int symbols_read_kallsyms(struct view text, struct symbols *symbols, struct error *e)
{
	const char *data = (const char *)text.data;

	*symbols = (struct symbols){0};
	if (read_lines((struct line){data, data + text.size}, symbols, e)) {
		symbols_free(symbols);
		return -1;
	}
	symbols_sort(symbols);
	return 0;
}
