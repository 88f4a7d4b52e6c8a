/* The values of options: see options.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"
#include "options.h"

#define HOST_CPUS_MAX 1024 /* CPU_SETSIZE */

/* A decimal number and what follows it. False: there are no digits, or too many. */
static bool take_number(const char **text, uint64_t *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0;
}

int option_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value,
		  struct error *e)
{
	const char *rest = text;

	if (!take_number(&rest, value) || *rest)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a number", option, text);
	if (*value < min || *value > max)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not in %llu..%llu", option, text,
				 (unsigned long long)min, (unsigned long long)max);
	return 0;
}

int option_counter(const char *option, const char *text, uint32_t *value, struct error *e)
{
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long number;
	char *end = NULL;

	errno = 0;
	number = strtoull(text, &end, hexadecimal ? 16 : 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || number > UINT32_MAX)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a number of 32 bits", option,
				 text);
	*value = (uint32_t)number;
	return 0;
}

/* "kernel, split or user", cut to what fits. */
static void list_names(const char *const *names, char *list, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; names[i] && used < size; i++) {
		const char *before = names[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(list + used, size - used, "%s%s", i ? before : "",
					 names[i]);
	}
}

int option_choice(const char *option, const char *text, const char *const *names, unsigned *index,
		  struct error *e)
{
	char list[100] = "";

	for (unsigned i = 0; names[i]; i++) {
		if (!strcmp(text, names[i])) {
			*index = i;
			return 0;
		}
	}
	list_names(names, list, sizeof(list));
	return error_set(e, TK_EXIT_USAGE, "%s: %s is not %s", option, text, list);
}

int option_size(const char *option, const char *text, uint64_t *bytes, struct error *e)
{
	static const char units[] = "KMG";
	const char *rest = text, *unit;
	unsigned shift = 0;

	if (!take_number(&rest, bytes))
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a size", option, text);
	if (*rest && (unit = strchr(units, *rest))) {
		shift = 10 * (unsigned)(unit - units + 1);
		rest++;
	}
	if (*rest || *bytes << shift >> shift != *bytes)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a size (64M or 2G)", option,
				 text);
	*bytes <<= shift;
	return 0;
}

int option_duration(const char *option, const char *text, uint64_t *ns, struct error *e)
{
	const char *rest = text;
	uint64_t unit_ns = 0;

	if (!take_number(&rest, ns))
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a time", option, text);
	if (!*rest || !strcmp(rest, "s"))
		unit_ns = NS_PER_S;
	else if (!strcmp(rest, "ms"))
		unit_ns = NS_PER_MS;
	/* Signed 64 bits are what the clocks of the host bear. */
	if (!unit_ns || *ns == 0 || *ns > INT64_MAX / 2 / unit_ns)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a time (10, 10s, 500ms)", option,
				 text);
	*ns *= unit_ns;
	return 0;
}

/* One entry, "3" or "0-3", appended to the list as far as it has room. */
static bool take_cpus(const char **text, unsigned room, int *list, unsigned *count)
{
	uint64_t first, last;

	if (!take_number(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!take_number(text, &last))
			return false;
	}
	if (first > last || last >= HOST_CPUS_MAX)
		return false;
	for (; first <= last; first++, (*count)++)
		if (*count < room)
			list[*count] = (int)first;
	return true;
}

/* All entries, commas between them. */
static bool take_cpu_list(const char *text, unsigned room, int *list, unsigned *count)
{
	while (take_cpus(&text, room, list, count)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}

int option_cpu_list(const char *option, const char *text, unsigned cpus, int *list, struct error *e)
{
	unsigned count = 0;

	if (!take_cpu_list(text, cpus, list, &count))
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not a list of CPUs (0,2 or 0-3)",
				 option, text);
	if (count != 1 && count != cpus)
		return error_set(e, TK_EXIT_USAGE, "%s: %s names %u CPUs for %u vCPUs", option,
				 text, count, cpus);
	for (unsigned i = count; i < cpus; i++)
		list[i] = list[0];
	return 0;
}

int option_cpu(const char *option, const char *text, int *cpu, struct error *e)
{
	uint64_t value = 0;

	if (option_number(option, text, 0, HOST_CPUS_MAX - 1, &value, e))
		return -1;
	*cpu = (int)value;
	return 0;
}

int option_disk(const char *option, char *text, struct config *config, struct error *e)
{
	static const char writable[] = ",rw";
	size_t length = strlen(text), suffix = sizeof(writable) - 1;

	config->disk_writable = length >= suffix && !strcmp(text + length - suffix, writable);
	if (config->disk_writable)
		text[length - suffix] = 0;
	if (!*text)
		return error_set(e, TK_EXIT_USAGE, "%s: no file", option);
	config->disk_path = text;
	return 0;
}
