/*
 * From the bytes of a serial port to lines: see record.h.
 *
 * What surrounds the guest's own text is not under anyone's control: firmware
 * clears the screen and moves the cursor by ANSI sequences (ECMA-48), a line may
 * be of any length and have any bytes in it. So sequences are taken out, a
 * sequence that moves the cursor ends the line, and odd bytes become '?'.
 */
#include <string.h>

#include "serial_lines.h"

bool take_number(const char **text, unsigned base, uint64_t max, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = *text;
	uint64_t sum = 0;

	for (; *p; p++) {
		const char *digit = strchr(digits, *p >= 'A' && *p <= 'F' ? *p - 'A' + 'a' : *p);
		unsigned d = digit ? digit - digits : base;

		if (d >= base)
			break;
		if (sum > (max - d) / base)
			return false;
		sum = sum * base + d;
	}
	if (p == *text)
		return false;
	*text = p;
	*value = sum;
	return true;
}

bool take_prefix(const char **text, const char *prefix)
{
	size_t length = strlen(prefix);

	if (strncmp(*text, prefix, length) != 0)
		return false;
	*text += length;
	return true;
}

static void end_line(struct serial_reader *reader)
{
	const char *line = reader->line;

	reader->line[reader->length] = '\0';
	if (!reader->too_long) {
		if (take_prefix(&line, TK_LINE_PREFIX))
			pair_line(reader->record, reader->line + strlen(TK_LINE_PREFIX));
		else
			ktap_line(reader, line);
	}
	reader->length = 0;
	reader->too_long = false;
}

static void add_char(struct serial_reader *reader, unsigned char c)
{
	if (reader->length == sizeof(reader->line) - 1) {
		reader->too_long = true;
		return;
	}
	if (c == '\t')
		c = ' ';
	reader->line[reader->length++] = c >= ' ' && c <= '~' ? c : '?';
}

/* One byte within an ANSI sequence. Colours ("CSI … m") vanish, all else moves the cursor. */
static void escape_char(struct serial_reader *reader, unsigned char c)
{
	bool csi = reader->escape == ESCAPE_CSI;

	if (!csi && c == '[') {
		reader->escape = ESCAPE_CSI;
		return;
	}
	if (c >= ' ' && c < (csi ? '@' : '0')) /* parameters and intermediates */
		return;
	if (!csi || c != 'm')
		end_line(reader);
	reader->escape = ESCAPE_NONE;
}

void serial_reader_init(struct serial_reader *reader, struct record *record)
{
	memset(reader, 0, sizeof(*reader));
	reader->record = record;
	reader->next_number = 1;
}

void serial_reader_feed(struct serial_reader *reader, const void *data, unsigned length)
{
	const unsigned char *bytes = data;

	for (unsigned i = 0; i < length; i++) {
		unsigned char c = bytes[i];

		if (c == '\033')
			reader->escape = ESCAPE_SEEN;
		else if (reader->escape != ESCAPE_NONE)
			escape_char(reader, c);
		else if (c == '\n')
			end_line(reader);
		else if (c != '\r')
			add_char(reader, c);
	}
}

void serial_reader_finish(struct serial_reader *reader)
{
	end_line(reader);
	record_arrays_finish(reader->record);
}
