/*
 * The pair's UART lines, for machines without the contract: see the end of abi.h.
 *
 * A line whose form or sum is wrong counts as damaged and is not used.
 */
#include <stdio.h>
#include <string.h>

#include "serial_lines.h"

/* Moves the word at *text to `word`, and *text to the next one; false: none, or too long. */
static bool take_word(const char **text, char *word, size_t size)
{
	size_t length = strcspn(*text, " ");

	if (length == 0 || length >= size)
		return false;
	memcpy(word, *text, length);
	word[length] = '\0';
	*text += length;
	return take_prefix(text, " ");
}

/* Cuts " *SUM" off the line; false: there is none, or it is not the line's. */
static bool take_sum(char *line)
{
	char *end = strrchr(line, ' ');
	const char *text = end;
	uint64_t sum;

	if (!end || !take_prefix(&text, " *") || !take_number(&text, 16, UINT32_MAX, &sum) || *text)
		return false;
	*end = '\0';
	return sum == tk_line_sum(line, (size_t)(end - line));
}

/* "V0 V1 …" to the end of the line, at least one; false: form or number is wrong. */
static bool take_values(const char *text, uint64_t *values, unsigned *count)
{
	*count = 0;
	do {
		if (*count == TK_LINE_VALUES ||
		    !take_number(&text, 16, UINT64_MAX, &values[*count]))
			return false;
		++*count;
	} while (take_prefix(&text, " "));
	return *text == '\0';
}

static bool samples_line(struct record *record, char *line)
{
	char name[TK_NAME_SIZE], unit[TK_UNIT_SIZE];
	uint64_t values[TK_LINE_VALUES];
	struct array_part part = {.name = name, .unit = unit, .values = values};
	const char *text = line;

	return take_sum(line) && take_prefix(&text, "samples ") &&
	       take_word(&text, name, sizeof(name)) && take_word(&text, unit, sizeof(unit)) &&
	       take_number(&text, 10, RECORD_VALUES_MAX, &part.first) && take_prefix(&text, "/") &&
	       take_number(&text, 10, RECORD_VALUES_MAX, &part.length) && take_prefix(&text, " ") &&
	       take_values(text, values, &part.count) && record_array_part(record, &part) == 0;
}

static bool guest_line(struct record *record, const char *text)
{
	uint64_t abi;

	if (!take_number(&text, 10, UINT32_MAX, &abi) || !take_prefix(&text, " ") || !*text ||
	    strlen(text) >= sizeof(record->guest_revision))
		return false;
	record->guest_abi = abi;
	snprintf(record->guest_revision, sizeof(record->guest_revision), "%s", text);
	return true;
}

static bool exit_line(struct record *record, const char *text)
{
	uint64_t code;

	if (!take_number(&text, 10, UINT8_MAX, &code) || *text)
		return false;
	pthread_mutex_lock(&record->lock);
	record->guest_code = code;
	pthread_mutex_unlock(&record->lock);
	return true;
}

void pair_line(struct record *record, char *line)
{
	const char *text = line;
	bool good;

	if (take_prefix(&text, "samples "))
		good = samples_line(record, line);
	else if (take_prefix(&text, "guest "))
		good = guest_line(record, text);
	else
		good = take_prefix(&text, "exit ") && exit_line(record, text);
	if (!good)
		record->damaged_lines++;
}
