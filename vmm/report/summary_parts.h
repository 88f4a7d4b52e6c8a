/* Parts of the summary that have a file of their own: each prints nothing when empty. */
#ifndef TICKVM_REPORT_SUMMARY_PARTS_H
#define TICKVM_REPORT_SUMMARY_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Fields of the result object; "" or 0 where there is none. */
const char *text_of(const json_t *object, const char *key);
double number_of(const json_t *object, const char *key);
json_int_t integer_of(const json_t *object, const char *key);

/* Width of the headings at the left: "exits    ". */
#define SUMMARY_HEADING "%-9s"

void print_host(const json_t *result, FILE *out);
void print_checks(const json_t *result, FILE *out, bool verbose);
void print_metrics(const json_t *result, FILE *out);
void print_phases(const json_t *result, FILE *out);
void print_path_lengths(const json_t *result, FILE *out, bool verbose);
void print_exits(const json_t *result, FILE *out);
void print_syscalls(const json_t *result, FILE *out);
void print_kvm_stats(const json_t *result, FILE *out, bool verbose);

/* "PASS  25 of 25 checks passed  (host: interpreting KVM)" */
void print_verdict(const json_t *result, FILE *out, bool colour);

#endif
