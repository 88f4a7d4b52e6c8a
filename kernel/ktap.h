/*
 * KTAP, version 1 (Documentation/dev-tools/ktap.rst): the guest's verdicts as text.
 */
#ifndef TICKVM_KTAP_H
#define TICKVM_KTAP_H

#include <stdbool.h>

/* "KTAP version 1" and the plan. */
void ktap_begin(unsigned planned);

/* One result, numbered; the format names the check. Returns `ok`. */
bool ktap_result(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One check that this machine cannot make: "ok N NAME # SKIP why". */
void ktap_skip(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A diagnostic line: "# …". Print measured value and bound of a failing check with it. */
void ktap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "# Totals: …"; returns TK_EXIT_PASS, or TK_EXIT_FAIL after a failure or a missed plan. */
int ktap_end(void);

#endif
