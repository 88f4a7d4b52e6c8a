/* What was built, and its removal: see lab.h. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../report/json_values.h"
#include "../report/summary_parts.h"
#include "lab.h"
#include "lab_scratch.h"

#define OPEN_DIRECTORIES 16
#define MIB		 (1024 * 1024)

static uint64_t tree_bytes; /* nftw() has no argument for its caller */

static int add_size(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
	(void)path, (void)kind, (void)at;
	tree_bytes += (uint64_t)stat->st_blocks * 512;
	return 0;
}

static uint64_t size_of_tree(const char *path)
{
	tree_bytes = 0;
	nftw(path, add_size, OPEN_DIRECTORIES, FTW_PHYS);
	return tree_bytes;
}

static json_t *snapshots_of(const struct lab *lab)
{
	json_t *names = json_array();
	struct lab_shape shape;
	char path[PATH_MAX];

	for (int real_time = 0; real_time < 2; real_time++)
		for (shape.cpus = 1; shape.cpus <= LAB_CPUS_MAX; shape.cpus++) {
			shape.real_time = real_time;
			if (lab_snapshot_path(lab, &shape, path))
				json_array_append_new(names, json_string(strrchr(path, '/') + 1));
		}
	return names;
}

static json_t *describe(const struct lab *lab)
{
	char path[PATH_MAX + 16];
	json_t *object = json_object();
	struct stat stat_of;

	snprintf(path, sizeof(path), "%s/lab.conf", lab->dir);
	json_put(object, "name", json_text(lab->name));
	json_put(object, "kernel", json_text(lab->kernel));
	json_put(object, "kvm", json_text(lab->kvm_name));
	json_put(object, "modules", json_text(lab->modules));
	json_put(object, "tree", lab->tree[0] ? json_text(lab->tree) : json_null());
	json_put(object, "snapshots", snapshots_of(lab));
	json_put(object, "bytes", json_u64(size_of_tree(lab->dir)));
	json_put(object, "built",
		 stat(path, &stat_of) ? json_null() : json_integer(stat_of.st_mtime));
	return object;
}

static json_t *list_all(const char *labs)
{
	json_t *list = json_array();
	struct dirent **names;
	int count = scandir(labs, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		struct lab lab;
		struct error ignored;

		if (names[i]->d_name[0] != '.' && !lab_open(names[i]->d_name, &lab, &ignored) &&
		    lab.kernel[0])
			json_array_append_new(list, describe(&lab));
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return list;
}

static void print_age(json_int_t built)
{
	long long age_s = (long long)time(NULL) - built;

	if (age_s < 60 * 60)
		printf("%6lld min", age_s / 60);
	else if (age_s < 48 * 60 * 60)
		printf("%8lld h", age_s / (60 * 60));
	else
		printf("%5lld days", age_s / (24 * 60 * 60));
}

static void print_line(const json_t *lab)
{
	const json_t *snapshots = json_object_get(lab, "snapshots");

	printf("%-24s %-28s %-12s %5lld MiB ", text_of(lab, "name"), text_of(lab, "kernel"),
	       text_of(lab, "modules"), integer_of(lab, "bytes") / MIB);
	print_age(integer_of(lab, "built"));
	printf(" %zu snapshot%s\n", json_array_size(snapshots),
	       json_array_size(snapshots) == 1 ? "" : "s");
}

int lab_list(bool as_json, struct error *e)
{
	char root[PATH_MAX], labs[2 * PATH_MAX];
	const json_t *lab;
	json_t *list;
	size_t i;

	if (lab_root(root, e))
		return -1;
	snprintf(labs, sizeof(labs), "%s/labs", root);
	list = list_all(labs);
	if (as_json) {
		json_dumpf(list, stdout, JSON_INDENT(2));
		putchar('\n');
	} else if (json_array_size(list)) {
		printf("%-24s %-28s %-12s %9s %10s\n", "NAME", "KERNEL", "MODULES", "SIZE", "AGE");
		json_array_foreach (list, i, lab) {
			print_line(lab);
		}
	} else {
		printf("no lab is built; tickvm lab build makes one\n");
	}
	json_decref(list);
	return 0;
}

/* Only what scripts/lab makes: the directory may be a user's own. */
static int clean_all(struct error *e)
{
	static const char *const parts[] = {"labs", "kernels", "packages", "count-plugin.so"};
	char root[PATH_MAX], path[2 * PATH_MAX];

	if (lab_root(root, e))
		return -1;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, parts[i]);
		if (lab_remove_tree(path) && errno != ENOENT)
			return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", path, strerror(errno));
	}
	return 0;
}

int lab_clean(const char *name, struct error *e)
{
	struct lab lab;

	if (!name)
		return clean_all(e);
	if (lab_open(name, &lab, e))
		return -1;
	if (lab_remove_tree(lab.dir))
		return error_set(e, TK_EXIT_FAIL, "lab: %s: %s", lab.dir, strerror(errno));
	return 0;
}
