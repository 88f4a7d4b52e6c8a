/* What every scenario's verdict has in common: see verdict.h. */
#include "verdict.h"

#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../report/json_values.h"

int repro_set_verdict(json_t *report, const char *status, int code, const char *reason)
{
	json_t *verdict = json_pack("{s:s, s:i, s:s}", "status", status, "exit_code", code,
				    "reason", reason);

	return json_put(report, "verdict", verdict);
}

/* The first row that is neither run nor skipped, if any, decides. */
bool workload_judge_endings(json_t *report, const char *workload)
{
	char reason[400];
	const json_t *row;
	size_t i;

	json_array_foreach (json_object_get(report, workload), i, row) {
		const char *status = json_string_value(json_object_get(row, "status"));
		bool failed = !strcmp(status, "failed");

		if (!failed && strcmp(status, "inconclusive") != 0)
			continue;
		snprintf(reason, sizeof(reason), "%s, %s: %s", workload,
			 json_string_value(json_object_get(row, "name")),
			 json_string_value(json_object_get(row, "reason")));
		repro_set_verdict(report, failed ? "fail" : "inconclusive",
				  failed ? TK_EXIT_FAIL : TK_EXIT_INCONCLUSIVE, reason);
		return true;
	}
	return false;
}

bool repro_host_interprets(const json_t *report)
{
	const char *kind =
		json_string_value(json_object_get(json_object_get(report, "host"), "kind"));

	return kind && !strcmp(kind, "interpreting KVM");
}
