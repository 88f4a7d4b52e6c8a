/* Path lengths in the result: see path_length.h. */
#include "path_length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/json_values.h"
#include "path_length_counts.h"
#include "path_length_owners.h"
#include "profile.h"

/* A value within an option of QEMU: its commas are doubled. */
static void print_value(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s=", key);
	for (; *value; value++) {
		fputc(*value, out);
		if (*value == ',')
			fputc(',', out);
	}
}

static int find_marks(const char *vmm, uint64_t *begin, uint64_t *end, struct error *e)
{
	struct symbols symbols;
	struct view file;
	bool found;

	if (view_map(vmm, &file, e))
		return -1;
	if (symbols_read_elf(file, &symbols, e)) {
		view_unmap(&file);
		return -1;
	}
	found = symbols_address(&symbols, "path_length_begin", begin) &&
		symbols_address(&symbols, "path_length_end", end);
	symbols_free(&symbols);
	view_unmap(&file);
	if (!found)
		return error_set(e, TK_EXIT_USAGE,
				 "%s: no symbols path_length_begin and path_length_end: stripped?",
				 vmm);
	return 0;
}

char *path_length_plugin_option(const char *plugin, const char *counts, const char *vmm,
				struct error *e)
{
	uint64_t begin = 0, end = 0;
	char *option = NULL;
	size_t size;
	FILE *out;

	if (find_marks(vmm, &begin, &end, e))
		return NULL;
	out = open_memstream(&option, &size);
	if (!out) {
		error_set(e, TK_EXIT_FAIL, "out of memory");
		return NULL;
	}
	print_value(out, "file", plugin);
	print_value(out, ",out", counts);
	fprintf(out, ",begin=0x%llx,end=0x%llx", (unsigned long long)begin,
		(unsigned long long)end);
	if (fclose(out) == 0)
		return option;
	free(option);
	error_set(e, TK_EXIT_FAIL, "out of memory");
	return NULL;
}

static json_t *split_json(const struct path_split *split)
{
	json_t *object = json_object();

	json_put(object, "total", json_u64(path_split_total(split)));
	for (unsigned owner = 0; owner < OWNERS; owner++)
		json_put(object, path_owner_name(owner), json_u64(split->of[owner]));
	return object;
}

static json_t *profile_json(const struct profile *profile)
{
	json_t *array = json_array();

	for (size_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];
		json_t *object = json_object();

		json_put(object, "owner", json_string(path_owner_name(row->owner)));
		json_put(object, "symbol", json_text(row->symbol));
		json_put(object, "instructions", json_u64(row->instructions));
		json_put(object, "per_operation", json_u64(row->per_operation));
		json_array_append_new(array, object);
	}
	return array;
}

static int put_phase(json_t *phase, const struct profile *profile, bool with_profile,
		     struct error *e)
{
	json_t *per_operation = json_object_get(phase, "per_operation");
	bool known = json_integer_value(json_object_get(phase, "operations")) > 0;

	if (json_put(phase, "path_length", split_json(&profile->executed)) ||
	    json_put(per_operation, "path_length",
		     known ? split_json(&profile->per_operation) : json_null()) ||
	    (with_profile && json_put(phase, "profile", profile_json(profile))))
		return error_set(e, TK_EXIT_FAIL, "the result cannot hold its path lengths");
	return 0;
}

static int add_phases(json_t *phases, const struct path_counts *counts,
		      const struct path_owners *owners, bool with_profile, struct error *e)
{
	json_t *phase;
	size_t i;

	json_array_foreach (phases, i, phase) {
		size_t start = counts->starts[i];
		json_int_t operations = json_integer_value(json_object_get(phase, "operations"));
		struct profile profile;
		int result;

		if (profile_make(&counts->list[start], counts->starts[i + 1] - start,
				 (uint64_t)operations, owners, &profile))
			return error_set(e, TK_EXIT_FAIL, "out of memory for the profile");
		result = put_phase(phase, &profile, with_profile, e);
		profile_free(&profile);
		if (result)
			return -1;
	}
	return 0;
}

/* The result may have lost phases past its limit; it cannot have more than were counted. */
static int add_counts(json_t *result, const struct path_counts *counts,
		      const struct path_owners *owners, bool with_profile, struct error *e)
{
	json_t *phases = json_object_get(result, "phases");

	if (json_array_size(phases) > counts->phase_count)
		return error_set(e, TK_EXIT_FAIL, "the result has %zu phases, the counts %u",
				 json_array_size(phases), counts->phase_count);
	return add_phases(phases, counts, owners, with_profile, e);
}

static int read_counts(const char *path, struct path_counts *counts, struct error *e)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file) {
		error_set(e, TK_EXIT_FAIL, "%s: no counts: the plugin did not run", path);
		return -1;
	}
	result = path_counts_read(file, path, counts, e);
	fclose(file);
	return result;
}

int path_length_add(json_t *result, const struct path_length_files *files, bool with_profile,
		    struct error *e)
{
	struct path_owners owners = {0};
	struct path_counts counts = {0};
	int added = -1;

	if (path_owners_read(files, &owners, e))
		return -1;
	if (read_counts(files->counts, &counts, e) == 0) {
		added = add_counts(result, &counts, &owners, with_profile, e);
		path_counts_free(&counts);
	}
	path_owners_free(&owners);
	return added;
}
