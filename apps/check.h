/*
 * One check of a case: its measured value and its bound on one line, then the result.
 */
#ifndef TICKVM_CHECK_H
#define TICKVM_CHECK_H

#include <stdbool.h>
#include <stdint.h>

bool check_equal(const char *name, uint64_t measured, uint64_t bound);
bool check_at_least(const char *name, uint64_t measured, uint64_t bound);

#endif
