/* See json_values.h. */
#include "json_values.h"

#include <stdlib.h>
#include <string.h>

int json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

json_t *json_u64(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *json_u64_if(bool known, uint64_t value)
{
	return known ? json_u64(value) : json_null();
}

json_t *json_ratio_if(bool known, uint64_t value, uint64_t count)
{
	return known && count ? json_real((double)value / (double)count) : json_null();
}

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *ascii;

	if (string)
		return string;
	ascii = strdup(text);
	if (!ascii)
		return NULL;
	for (char *p = ascii; *p; p++) {
		if (*p & 0x80)
			*p = '?';
	}
	string = json_string(ascii);
	free(ascii);
	return string;
}

json_t *json_text_if(const char *text)
{
	return text && text[0] ? json_text(text) : json_null();
}
