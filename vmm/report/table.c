/* See table.h. */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_init(struct table *table, unsigned columns)
{
	*table = (struct table){.columns = columns};
}

void table_cell(struct table *table, const char *format, ...)
{
	void *larger = realloc(table->text, (table->cells + 1) * sizeof(*table->text));
	va_list args;

	if (!larger)
		return;
	table->text = larger;
	va_start(args, format);
	vsnprintf(table->text[table->cells++], sizeof(*table->text), format, args);
	va_end(args);
}

static int column_width(const struct table *table, unsigned column)
{
	size_t width = 0;

	for (unsigned i = column; i < table->cells; i += table->columns) {
		if (strlen(table->text[i]) > width)
			width = strlen(table->text[i]);
	}
	return (int)width;
}

void table_finish(struct table *table, FILE *out)
{
	unsigned rows = table->cells / table->columns;
	unsigned i = 0;

	for (unsigned row = 0; row < rows; row++) {
		for (unsigned column = 0; column < table->columns; column++, i++) {
			int width = column_width(table, column);

			fprintf(out, "  %*s", column ? width : -width, table->text[i]);
		}
		fputc('\n', out);
	}
	free(table->text);
}
