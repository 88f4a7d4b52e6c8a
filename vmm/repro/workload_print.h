/*
 * A workload's rows as a table: medians, and from the least to the greatest round of one
 * measure. A row that did not run says why in its place.
 */
#ifndef TICKVM_REPRO_WORKLOAD_PRINT_H
#define TICKVM_REPRO_WORKLOAD_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct workload_column {
	const char *heading, *key; /* NULL: after the last */
	bool is_count;		   /* printed as it is, to the last digit */
};

/* `corner`: heading of the rows' names; `range_of`: key of the measure with its range beside. */
void workload_print(const json_t *rows, const char *corner, const struct workload_column *columns,
		    const char *range_of, FILE *out);

#endif
