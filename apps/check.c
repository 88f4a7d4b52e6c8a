/*
 * Checks as the cases make them: a note with measured value and bound, which a
 * reader of a failed run needs first, then the KTAP result.
 */
#include "check.h"

#include <inttypes.h>

#include "kernel/ktap.h"

bool check_equal(const char *name, uint64_t measured, uint64_t bound)
{
	ktap_note("%s: measured %" PRIu64 ", bound %" PRIu64, name, measured, bound);
	return ktap_result(measured == bound, "%s", name);
}

bool check_at_least(const char *name, uint64_t measured, uint64_t bound)
{
	ktap_note("%s: measured %" PRIu64 ", bound at least %" PRIu64, name, measured, bound);
	return ktap_result(measured >= bound, "%s", name);
}
