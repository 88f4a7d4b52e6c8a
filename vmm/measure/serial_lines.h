/*
 * Between the files of the serial reader: serial_reader.c makes lines of bytes,
 * ktap_lines.c and pair_lines.c read them. Lines are printable ASCII without an end mark.
 */
#ifndef TICKVM_MEASURE_SERIAL_LINES_H
#define TICKVM_MEASURE_SERIAL_LINES_H

#include "record.h"

/* A line of KTAP, version 1, at the top level; any other line is passed over. */
void ktap_line(struct serial_reader *reader, const char *line);

/* What follows TK_LINE_PREFIX: see abi.h. The line is cut up on the way. */
void pair_line(struct record *record, char *line);

/*
 * Takes the number at *text: digits only, no sign, space or prefix. False, and
 * *text stays, if there is none or it passes `max`.
 */
bool take_number(const char **text, unsigned base, uint64_t max, uint64_t *value);

/* Takes `prefix` from *text; false, and *text stays, if it does not begin so. */
bool take_prefix(const char **text, const char *prefix);

#endif
