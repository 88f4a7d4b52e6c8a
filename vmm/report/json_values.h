/*
 * JSON values of the result, made of C values that may come from a guest.
 * Each returns a new reference, or NULL when memory is out.
 */
#ifndef TICKVM_REPORT_JSON_VALUES_H
#define TICKVM_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sets a field, taking over the value's reference. -1: memory is out, or was when
 * the value was made; the field is then missing.
 */
int json_put(json_t *object, const char *key, json_t *value);

/* JSON integers are signed here: a value past 2^63 - 1 is given as 2^63 - 1. */
json_t *json_u64(uint64_t value);

/* null when the value is not known. */
json_t *json_u64_if(bool known, uint64_t value);

/* value / count; null when not known or count is 0. */
json_t *json_ratio_if(bool known, uint64_t value, uint64_t count);

/* Text; what is not UTF-8 has each odd byte replaced by '?'. */
json_t *json_text(const char *text);

/* null when it is empty, or NULL. */
json_t *json_text_if(const char *text);

#endif
