/*
 * Samples of the guest, by metric: whole arrays from the sample channel, and
 * parts of arrays from UART lines. See record.h.
 *
 * Nothing here trusts the guest: names, units and totals are bounded, and memory
 * grows only with values that were really sent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* [a-z0-9._-] for names; units may have '/' and '%' and capitals too: "MiB/s". */
static bool is_name_char(char c, bool unit)
{
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-')
		return true;
	return unit && ((c >= 'A' && c <= 'Z') || c == '/' || c == '%');
}

/* 1 to size - 1 characters that a name (or unit) may have, then a NUL within `size`. */
static bool is_valid(const char *text, unsigned size, bool unit)
{
	unsigned length = strnlen(text, size);

	if (length == 0 || length == size)
		return false;
	for (unsigned i = 0; i < length; i++) {
		if (!is_name_char(text[i], unit))
			return false;
	}
	return true;
}

static struct metric *metric_add(struct record *record, const char *name, const char *unit)
{
	struct metric *metrics, *metric;

	if (record->metric_count == RECORD_METRICS_MAX)
		return NULL;
	metrics = realloc(record->metrics, (record->metric_count + 1) * sizeof(*metrics));
	if (!metrics)
		return NULL;
	record->metrics = metrics;
	metric = &metrics[record->metric_count++];
	memset(metric, 0, sizeof(*metric));
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
	return metric;
}

/* The metric of this name and unit, new if need be; NULL: see record_samples(). */
static struct metric *metric_get(struct record *record, const char *name, const char *unit)
{
	if (!is_valid(name, TK_NAME_SIZE, false) || !is_valid(unit, TK_UNIT_SIZE, true))
		return NULL;
	for (unsigned i = 0; i < record->metric_count; i++) {
		struct metric *metric = &record->metrics[i];

		if (!strcmp(metric->name, name))
			return strcmp(metric->unit, unit) ? NULL : metric;
	}
	return metric_add(record, name, unit);
}

/* Room for `more` values behind the counted and the pending ones. */
static int metric_reserve(struct record *record, struct metric *metric, uint64_t more)
{
	uint64_t needed = metric->count + metric->pending + more;
	uint64_t capacity = metric->capacity ? metric->capacity : 64;
	uint64_t *values;

	if (record->value_count + more > RECORD_VALUES_MAX)
		return -1;
	if (needed <= metric->capacity)
		return 0;
	while (capacity < needed)
		capacity *= 2;
	values = realloc(metric->values, capacity * sizeof(*values));
	if (!values)
		return -1;
	metric->values = values;
	metric->capacity = capacity;
	return 0;
}

static void drop_pending(struct record *record, struct metric *metric)
{
	record->value_count -= metric->pending;
	record->arrays_lost++;
	metric->pending = 0;
	metric->dropped = true;
}

/* Values from guest memory: unaligned, of either width. */
static void widen(uint64_t *to, const unsigned char *from, uint32_t count, uint32_t width)
{
	if (width == 8) {
		memcpy(to, from, (size_t)count * 8);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t value;

		memcpy(&value, from + (size_t)i * 4, sizeof(value));
		to[i] = value;
	}
}

static int samples_locked(struct record *record, const char *name, const char *unit,
			  const void *values, uint32_t count, uint32_t width)
{
	struct metric *metric = metric_get(record, name, unit);

	if (!metric)
		return -1;
	if (metric->pending)
		drop_pending(record, metric);
	if (metric_reserve(record, metric, count))
		return -1;
	if (count)
		widen(metric->values + metric->count, values, count, width);
	metric->count += count;
	record->value_count += count;
	return 0;
}

int record_samples(struct record *record, const char *name, const char *unit, const void *values,
		   uint32_t count, uint32_t width)
{
	int result;

	if (width != 4 && width != 8)
		return -1;
	pthread_mutex_lock(&record->lock);
	result = samples_locked(record, name, unit, values, count, width);
	pthread_mutex_unlock(&record->lock);
	return result;
}

/* True: the part goes behind what has come of its array. Otherwise the array is lost. */
static bool part_follows(struct record *record, struct metric *metric,
			 const struct array_part *part)
{
	if (part->first == 0) {
		if (metric->pending)
			drop_pending(record, metric);
		metric->array_length = part->length;
		metric->dropped = false;
		return true;
	}
	if (metric->dropped)
		return false;
	if (part->first != metric->pending || part->length != metric->array_length) {
		drop_pending(record, metric);
		return false;
	}
	return true;
}

static int array_part_locked(struct record *record, const struct array_part *part)
{
	struct metric *metric = metric_get(record, part->name, part->unit);

	if (!metric)
		return -1;
	if (!part_follows(record, metric, part))
		return 0;
	if (metric_reserve(record, metric, part->count))
		return -1;
	memcpy(metric->values + metric->count + metric->pending, part->values,
	       part->count * sizeof(*part->values));
	metric->pending += part->count;
	record->value_count += part->count;
	if (metric->pending == metric->array_length) {
		metric->count += metric->pending;
		metric->pending = 0;
	}
	return 0;
}

int record_array_part(struct record *record, const struct array_part *part)
{
	int result;

	if (part->count == 0 || part->first > part->length ||
	    part->count > part->length - part->first)
		return -1;
	pthread_mutex_lock(&record->lock);
	result = array_part_locked(record, part);
	pthread_mutex_unlock(&record->lock);
	return result;
}

void record_arrays_finish(struct record *record)
{
	pthread_mutex_lock(&record->lock);
	for (unsigned i = 0; i < record->metric_count; i++) {
		if (record->metrics[i].pending)
			drop_pending(record, &record->metrics[i]);
	}
	pthread_mutex_unlock(&record->lock);
}
