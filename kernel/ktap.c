/*
 * KTAP, version 1 (Documentation/dev-tools/ktap.rst). A line is made whole and
 * written once: on a host that interprets the guest, newlib's printf is dear.
 */
#include "ktap.h"

#include <stdarg.h>
#include <stdio.h>

#include "abi.h"
#include "text.h"

static unsigned planned, number, failed, skipped;

static void append(struct text *text, const char *format, va_list arguments)
{
	size_t room = sizeof(text->data) - 1 - text->length;
	int n = vsnprintf(text->data + text->length, room, format, arguments);

	if (n > 0)
		text->length += (size_t)n < room ? (size_t)n : room - 1;
}

static void print(struct text *text)
{
	text->data[text->length++] = '\n';
	fwrite(text->data, 1, text->length, stdout);
}

static void begin_result(struct text *text, bool ok)
{
	text->length = 0;
	text_string(text, ok ? "ok " : "not ok ");
	text_decimal(text, ++number);
	text_string(text, " ");
}

void ktap_begin(unsigned count)
{
	planned = count;
	number = failed = skipped = 0;
	printf("KTAP version 1\n1..%u\n", count);
}

bool ktap_result(bool ok, const char *format, ...)
{
	struct text text;
	va_list arguments;

	begin_result(&text, ok);
	va_start(arguments, format);
	append(&text, format, arguments);
	va_end(arguments);
	print(&text);
	failed += !ok;
	return ok;
}

void ktap_skip(const char *name, const char *format, ...)
{
	struct text text;
	va_list arguments;

	begin_result(&text, true);
	text_string(&text, name);
	text_string(&text, " # SKIP ");
	va_start(arguments, format);
	append(&text, format, arguments);
	va_end(arguments);
	print(&text);
	skipped++;
}

void ktap_note(const char *format, ...)
{
	struct text text = {.length = 0};
	va_list arguments;

	text_string(&text, "# ");
	va_start(arguments, format);
	append(&text, format, arguments);
	va_end(arguments);
	print(&text);
}

int ktap_end(void)
{
	if (number != planned)
		ktap_note("planned %u results, gave %u", planned, number);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n",
	       number - failed - skipped, failed, skipped);
	return failed || number != planned ? TK_EXIT_FAIL : TK_EXIT_PASS;
}
