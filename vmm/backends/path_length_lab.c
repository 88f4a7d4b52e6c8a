/* Path lengths of a run in the lab: see path_length_lab.h. */
#include "path_length_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab.h"
#include "lab_protocol.h"
#include "path_length.h"

#define PLUGIN "count-plugin.so" /* scripts/lab/build makes it */
#define SELF   "/proc/self/exe"

static int join(char path[PATH_MAX], const char *dir, const char *name, struct error *e)
{
	if (snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return 0;
	return error_set(e, TK_EXIT_USAGE, "lab: %s: the path is too long", dir);
}

int lab_counting_begin(struct lab_counting *counting, struct lab_job *job, struct error *e)
{
	char root[PATH_MAX], plugin[PATH_MAX], absolute[PATH_MAX];

	memset(counting, 0, sizeof(*counting));
	if (lab_root(root, e) || join(plugin, root, PLUGIN, e))
		return -1;
	if (!realpath(plugin, absolute)) /* the emulator has a directory of its own */
		return error_set(e, TK_EXIT_FAIL, "lab: %s is missing: tickvm lab build makes it",
				 plugin);
	if (lab_scratch_make(&counting->scratch, e))
		return -1;
	if (join(counting->counts, counting->scratch.dir, "counts", e) == 0)
		counting->option = path_length_plugin_option(absolute, counting->counts, SELF, e);
	if (!counting->option) {
		lab_counting_end(counting);
		return -1;
	}
	job->plugin_option = counting->option;
	return 0;
}

int lab_counting_add(const struct lab_counting *counting, const struct lab *lab, const char *image,
		     const char *menu_entry, bool with_profile, json_t *result, struct error *e)
{
	struct path_length_files files = {
		.counts = counting->counts, .vmm = SELF, .image = image, .menu_entry = menu_entry};
	char kallsyms[PATH_MAX];

	if (!counting->option)
		return 0;
	if (join(kallsyms, lab->dir, LAB_KALLSYMS, e))
		return -1;
	files.kallsyms = kallsyms;
	return path_length_add(result, &files, with_profile, e);
}

void lab_counting_end(struct lab_counting *counting)
{
	if (counting->scratch.dir[0])
		lab_scratch_remove(&counting->scratch);
	free(counting->option);
	memset(counting, 0, sizeof(*counting));
}
