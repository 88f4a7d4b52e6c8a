/*
 * How the VMM reports what went wrong: one line and an exit code.
 *
 * A function that can fail takes a `struct error *`, returns -1 (or NULL) and
 * fills it through error_set(); only main() prints it. The line names the thing
 * at fault and what it should be, without a newline.
 */
#ifndef TICKVM_ERROR_H
#define TICKVM_ERROR_H

struct error {
	int exit_code; /* enum tk_exit */
	char text[240];
};

/* Fills *e; returns -1 so that a caller can `return error_set(…)`. Too long a text is cut. */
int error_set(struct error *e, int exit_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
