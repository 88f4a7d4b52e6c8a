/* Makes a lab's files, by scripts/lab/build: see lab.h. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab.h"

/* Exit code of the program; it says itself, on stderr, what is wrong. */
static int run_program(const char *const words[], struct error *e)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execv(words[0], (char *const *)words);
		_exit(TK_EXIT_FAIL);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return error_set(e, TK_EXIT_FAIL, "lab: fork: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : TK_EXIT_FAIL;
}

int lab_build(const struct lab_spec *spec, struct lab *lab, struct error *e)
{
	char root[PATH_MAX], script[PATH_MAX];
	int code;

	if (lab_find(spec, lab, e) || lab_root(root, e) || lab_script("build", script, e))
		return -1;
	code = run_program((const char *const[]){script, root, lab->name, lab->kvm_name,
						 spec->kernel ? spec->kernel : "", lab->tree,
						 spec->debug ? "debug" : "modules", NULL},
			   e);
	if (code > 0)
		return error_set(e, code, "%s", ""); /* the script has said it */
	return code ? -1 : lab_find(spec, lab, e);
}
