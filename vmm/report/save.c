/*
 * Writes a result to a file, whole or not at all: under a temporary name in the
 * same directory, then renamed. What is not a regular file (a pipe, /dev/stdout)
 * cannot be replaced and is written to as it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "report.h"

/* Short enough for people, exact enough for means and ratios. */
#define DUMP_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

/* -1 with errno: not all of it could be written. Closes the stream in any case. */
static int dump_and_close(const json_t *result, FILE *file)
{
	int bad = json_dumpf(result, file, DUMP_FLAGS) || fputc('\n', file) == EOF || fflush(file);
	int saved = errno;

	if (fclose(file) && !bad) {
		saved = errno;
		bad = 1;
	}
	errno = saved;
	return bad ? -1 : 0;
}

static int failed(struct error *e, const char *path)
{
	return error_set(e, TK_EXIT_FAIL, "cannot write the result to %s: %s", path,
			 strerror(errno));
}

static int save_directly(const json_t *result, const char *path, struct error *e)
{
	FILE *file = fopen(path, "we");

	if (!file || dump_and_close(result, file))
		return failed(e, path);
	return 0;
}

/* A stream on a new file with the mode that open() would have given; NULL with errno. */
static FILE *open_temporary(char *name)
{
	int fd = mkostemp(name, O_CLOEXEC);
	mode_t mask = umask(0);

	umask(mask);
	if (fd < 0)
		return NULL;
	fchmod(fd, 0666 & ~mask);
	return fdopen(fd, "w");
}

static int save_renamed(const json_t *result, const char *path, struct error *e)
{
	char name[PATH_MAX];
	FILE *file;

	if (snprintf(name, sizeof(name), "%s.XXXXXX", path) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return failed(e, path);
	}
	file = open_temporary(name);
	if (!file)
		return failed(e, path);
	if (dump_and_close(result, file) || rename(name, path)) {
		failed(e, path);
		unlink(name);
		return -1;
	}
	return 0;
}

static int save_to_stdout(const json_t *result, struct error *e)
{
	if (json_dumpf(result, stdout, DUMP_FLAGS) || putchar('\n') == EOF || fflush(stdout))
		return failed(e, "standard output");
	return 0;
}

int result_save(const json_t *result, const char *path, struct error *e)
{
	struct stat stat;

	if (!strcmp(path, "-"))
		return save_to_stdout(result, e);
	if (!lstat(path, &stat) && !S_ISREG(stat.st_mode))
		return save_directly(result, path, e);
	return save_renamed(result, path, e);
}
