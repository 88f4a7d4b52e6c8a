/*
 * KTAP, version 1 (Documentation/dev-tools/ktap.rst): plan, results, diagnostics.
 *
 * Only the top level is read: results of nested tests are indented, and their
 * parent's result sums them up. A result must have its number: firmware and
 * other programs print lines that begin with "ok", too.
 */
#include <stdio.h>
#include <string.h>

#include "serial_lines.h"

#define PLAN_MAX 1000000 /* no list of checks is longer: larger is damage */

static void plan(struct serial_reader *reader, uint64_t count)
{
	if (reader->record->planned < PLAN_MAX)
		reader->record->planned += count;
	reader->next_number = 1;
}

/* Copies `length` characters of `text` or what fits. */
static void copy(char *to, size_t size, const char *text, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(to, text, length);
	to[length] = '\0';
}

/* Splits "NAME # SKIP reason" (or "- NAME"); the directive's case does not matter. */
static void name_and_directive(struct check *check, const char *text)
{
	const char *directive = strstr(text, " # ");
	size_t length = directive ? (size_t)(directive - text) : strlen(text);

	while (length && text[length - 1] == ' ')
		length--;
	copy(check->name, sizeof(check->name), text, length);
	if (directive && !strncasecmp(directive + 3, "SKIP", 4)) {
		const char *reason = directive + 7;

		reason += strspn(reason, ": ");
		check->status = CHECK_SKIPPED;
		copy(check->detail, sizeof(check->detail), reason, strlen(reason));
	}
}

/* `text` follows "ok " or "not ok ". */
static void result(struct serial_reader *reader, bool ok, const char *text)
{
	struct check check = {.status = ok ? CHECK_OK : CHECK_FAILED};
	uint64_t number;

	if (!take_number(&text, 10, PLAN_MAX, &number) || (*text && *text != ' '))
		return;
	text += strspn(text, " ");
	if (!take_prefix(&text, "- "))
		take_prefix(&text, "-");
	name_and_directive(&check, text);
	if (check.status == CHECK_FAILED)
		copy(check.detail, sizeof(check.detail), reader->note, strlen(reader->note));
	if (number != reader->next_number) {
		check.status = CHECK_FAILED;
		snprintf(check.detail, sizeof(check.detail),
			 "numbered %llu where %llu was due: a result is lost or doubled",
			 (unsigned long long)number, (unsigned long long)reader->next_number);
	}
	reader->next_number = number + 1;
	reader->note[0] = '\0';
	record_check(reader->record, &check);
}

/* "1..N", and nothing after it but a comment. */
static bool is_plan(const char *line, uint64_t *count)
{
	return take_prefix(&line, "1..") && take_number(&line, 10, PLAN_MAX, count) &&
	       (*line == '\0' || *line == ' ');
}

void ktap_line(struct serial_reader *reader, const char *line)
{
	uint64_t count;

	if (take_prefix(&line, "ok "))
		result(reader, true, line);
	else if (take_prefix(&line, "not ok "))
		result(reader, false, line);
	else if (is_plan(line, &count))
		plan(reader, count);
	else if (take_prefix(&line, "# "))
		copy(reader->note, sizeof(reader->note), line, strlen(line));
	else if (take_prefix(&line, "tickvm: "))
		copy(reader->record->message, sizeof(reader->record->message), line, strlen(line));
}
