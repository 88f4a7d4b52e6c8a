/*
 * Where the lab's files are, and what a lab is called: see lab.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab.h"
#include "lab_qemu.h"

#define LAB_SCRIPTS   "scripts/lab"
#define LAB_INSTALLED TICKVM_PREFIX "/share/tickvm/lab"

uint32_t lab_hash(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* "dir/name" in a path; false: too long. */
static bool join(char path[PATH_MAX], const char *dir, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

/* The directory that build/tickvm was built in; false: this is no such binary. */
static bool source_tree(char tree[PATH_MAX])
{
	char exe[PATH_MAX], scripts[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (length < 0)
		return false;
	exe[length] = 0;
	for (int up = 0; up < 2; up++) { /* past the name, and past build/ */
		char *slash = strrchr(exe, '/');

		if (!slash)
			return false;
		*slash = 0;
	}
	strcpy(tree, exe);
	return join(scripts, tree, LAB_SCRIPTS) && !access(scripts, X_OK);
}

int lab_root(char root[PATH_MAX], struct error *e)
{
	const char *given = getenv("TICKVM_LAB_DIR"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char tree[PATH_MAX];
	int length;

	if (given && given[0])
		length = snprintf(root, PATH_MAX, "%s", given);
	else if (source_tree(tree))
		length = snprintf(root, PATH_MAX, "%s/build/lab", tree);
	else if (cache && cache[0])
		length = snprintf(root, PATH_MAX, "%s/tickvm/lab", cache);
	else
		length = snprintf(root, PATH_MAX, "%s/.cache/tickvm/lab", home ? home : "");
	if (length >= PATH_MAX)
		return error_set(e, TK_EXIT_USAGE, "lab: the path of its directory is too long");
	return 0;
}

int lab_script(const char *name, char path[PATH_MAX], struct error *e)
{
	char tree[PATH_MAX], dir[PATH_MAX];
	bool fits;

	if (source_tree(tree))
		fits = join(dir, tree, LAB_SCRIPTS) && join(path, dir, name);
	else
		fits = join(path, LAB_INSTALLED, name);
	if (!fits || access(path, X_OK))
		return error_set(e, TK_EXIT_SKIPPED,
				 "lab: its scripts are not here: run it from the source tree");
	return 0;
}

/* What may stand in a name: it becomes a directory. */
static bool good_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789.+_-");

	return length && !name[length] && name[0] != '.';
}

static int name_tree(const struct lab_spec *spec, struct lab *lab, struct error *e)
{
	const char *base;

	if (!realpath(spec->tree, lab->tree))
		return error_set(e, TK_EXIT_USAGE, "lab: --tree: %s: %s", spec->tree,
				 strerror(errno));
	base = strrchr(lab->tree, '/') + 1;
	snprintf(lab->name, sizeof(lab->name), "tree-%.40s-%08x", good_name(base) ? base : "x",
		 lab_hash(LAB_HASH_BEGIN, lab->tree));
	return 0;
}

static void add_suffix(struct lab *lab, const char *suffix)
{
	size_t length = strlen(lab->name);

	if (suffix)
		snprintf(lab->name + length, sizeof(lab->name) - length, "-%s", suffix);
}

static int name_lab(const struct lab_spec *spec, struct lab *lab, struct error *e)
{
	static const char *const names[] = {
		[LAB_STOCK] = "stock", [LAB_PATCHED] = "patched", [LAB_TREE] = "tree"};

	memset(lab, 0, sizeof(*lab));
	lab->kvm_name = names[spec->kvm];
	if (spec->kvm == LAB_TREE) {
		if (name_tree(spec, lab, e))
			return -1;
	} else {
		strcpy(lab->name, lab->kvm_name);
	}
	if (spec->kernel && !good_name(spec->kernel))
		return error_set(e, TK_EXIT_USAGE, "lab: --kernel: %s is no version", spec->kernel);
	add_suffix(lab, spec->kernel);
	add_suffix(lab, spec->debug ? "debug" : NULL);
	return 0;
}

static void take_value(const char *line, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) || strlen(line + length) >= size)
		return;
	strcpy(value, line + length);
}

/* What scripts/lab/build wrote last, when all else was there: "key=value" lines. */
static void read_description(struct lab *lab)
{
	char path[PATH_MAX], line[PATH_MAX + 16];
	FILE *file;

	if (!join(path, lab->dir, "lab.conf") || !(file = fopen(path, "re")))
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		take_value(line, "kernel=", lab->kernel, sizeof(lab->kernel));
		take_value(line, "modules=", lab->modules, sizeof(lab->modules));
		take_value(line, "tree=", lab->tree, sizeof(lab->tree));
	}
	fclose(file);
}

static int locate(struct lab *lab, struct error *e)
{
	char root[PATH_MAX];

	if (lab_root(root, e))
		return -1;
	if (snprintf(lab->dir, sizeof(lab->dir), "%s/labs/%s", root, lab->name) >=
	    (int)sizeof(lab->dir))
		return error_set(e, TK_EXIT_USAGE, "lab: the path of its directory is too long");
	read_description(lab);
	return 0;
}

int lab_find(const struct lab_spec *spec, struct lab *lab, struct error *e)
{
	return name_lab(spec, lab, e) ? -1 : locate(lab, e);
}

int lab_open(const char *name, struct lab *lab, struct error *e)
{
	memset(lab, 0, sizeof(*lab));
	snprintf(lab->name, sizeof(lab->name), "%s", name);
	lab->kvm_name = !strncmp(name, "stock", 5)     ? "stock"
			: !strncmp(name, "patched", 7) ? "patched"
						       : "tree";
	if (good_name(name) && locate(lab, e))
		return -1;
	if (!lab->dir[0] || access(lab->dir, F_OK))
		return error_set(e, TK_EXIT_USAGE, "lab: there is no lab %s; tickvm lab list",
				 name);
	return 0;
}

bool lab_snapshot_path(const struct lab *lab, const struct lab_shape *shape, char path[PATH_MAX])
{
	char name[64];

	snprintf(name, sizeof(name), "%s-%u-%08x.snapshot",
		 shape->real_time ? "real-time" : "exact", shape->cpus, lab_machine_hash(shape));
	return join(path, lab->dir, name) && !access(path, R_OK);
}
