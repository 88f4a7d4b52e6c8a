/* Metrics as JSON: order statistics of the raw values, and their histogram. */
#include <stdlib.h>

#include "../measure/record.h"
#include "json_values.h"
#include "result_parts.h"
#include "statistics.h"

/* Non-empty buckets, in order. */
static json_t *histogram_json(const uint64_t *sorted, uint64_t count)
{
	json_t *array = json_array();
	uint64_t i = 0;

	while (i < count) {
		struct bucket bucket = bucket_of(sorted[i]);
		uint64_t first = i;
		json_t *object = json_object();

		while (i < count && sorted[i] <= bucket.to)
			i++;
		json_put(object, "from", json_u64(bucket.from));
		json_put(object, "to", json_u64(bucket.to));
		json_put(object, "n", json_u64(i - first));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *sorted_json(const struct metric *metric, const uint64_t *sorted)
{
	uint64_t count = metric->count;
	json_t *object = json_object();

	json_put(object, "name", json_text(metric->name));
	json_put(object, "unit", json_text(metric->unit));
	json_put(object, "n", json_u64(count));
	json_put(object, "min", json_u64(sorted[0]));
	json_put(object, "p50", json_u64(percentile(sorted, count, 50)));
	json_put(object, "p90", json_u64(percentile(sorted, count, 90)));
	json_put(object, "p99", json_u64(percentile(sorted, count, 99)));
	json_put(object, "max", json_u64(sorted[count - 1]));
	json_put(object, "mean", json_real(mean(sorted, count)));
	json_put(object, "histogram", histogram_json(sorted, count));
	return object;
}

/* Of a sorted copy, for the record's order stays; cut to what a JSON integer can be. */
static json_t *metric_json(const struct metric *metric)
{
	uint64_t *sorted = malloc(metric->count * sizeof(*sorted));
	json_t *object;

	if (!sorted)
		return NULL;
	for (uint64_t i = 0; i < metric->count; i++)
		sorted[i] = metric->values[i] < INT64_MAX ? metric->values[i] : INT64_MAX;
	sort_values(sorted, metric->count);
	object = sorted_json(metric, sorted);
	free(sorted);
	return object;
}

json_t *metrics_json(const struct record *record)
{
	json_t *array = json_array();

	for (unsigned i = 0; array && i < record->metric_count; i++) {
		if (record->metrics[i].count == 0)
			continue;
		if (json_array_append_new(array, metric_json(&record->metrics[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}
