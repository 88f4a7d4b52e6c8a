/*
 * A table of text, columns as wide as their widest cell: the first column to the
 * left, the others, figures, to the right.
 */
#ifndef TICKVM_REPORT_TABLE_H
#define TICKVM_REPORT_TABLE_H

#include <stdio.h>

struct table {
	unsigned columns;
	unsigned cells; /* row by row */
	char (*text)[48];
};

void table_init(struct table *table, unsigned columns);

/* Adds the next cell, cut to what fits. Without memory the table stays as it is. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the full rows, two blanks between columns and before the first; frees the table. */
void table_finish(struct table *table, FILE *out);

#endif
