/* See child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define SELF	"/proc/self/exe"
#define TIMEOUT "--timeout=120"
#define SIGNAL_CODES \
	128 /* a shell's exit code for a child that died by a signal, plus its number */

/* What the child writes: files without a name, so that no pipe can fill up. */
struct outputs {
	int json_fd, text_fd;
};

static int open_outputs(struct outputs *outputs, struct error *e)
{
	outputs->json_fd = memfd_create("result", MFD_CLOEXEC);
	outputs->text_fd = memfd_create("text", MFD_CLOEXEC);
	if (outputs->json_fd < 0 || outputs->text_fd < 0)
		return error_set(e, TK_EXIT_FAIL, "repro: memfd_create: %s", strerror(errno));
	return 0;
}

static void close_outputs(const struct outputs *outputs)
{
	if (outputs->json_fd >= 0)
		close(outputs->json_fd);
	if (outputs->text_fd >= 0)
		close(outputs->text_fd);
}

/* Without the terminal, which a run would take over. */
static int spawn(char *const *words, const struct outputs *outputs, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int why = posix_spawn_file_actions_init(&actions);

	if (why)
		return why;
	why = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!why)
		why = posix_spawn_file_actions_adddup2(&actions, outputs->json_fd, STDOUT_FILENO);
	if (!why)
		why = posix_spawn_file_actions_adddup2(&actions, outputs->text_fd, STDERR_FILENO);
	if (!why)
		why = posix_spawn(pid, SELF, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return why;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_CODES + WTERMSIG(status);
}

/* The last line of the text, without the program's name before it. */
static void read_last_line(int fd, struct child_run *run)
{
	static const char name[] = "tickvm: ";
	char tail[sizeof(run->line) + sizeof(name)], *line;
	off_t end = lseek(fd, 0, SEEK_END);
	off_t from = end < (off_t)sizeof(tail) ? 0 : end - (off_t)sizeof(tail) + 1;
	ssize_t length = pread(fd, tail, sizeof(tail) - 1, from);

	while (length > 0 && tail[length - 1] == '\n')
		length--;
	tail[length > 0 ? length : 0] = 0;
	line = strrchr(tail, '\n');
	line = line ? line + 1 : tail;
	if (!strncmp(line, name, strlen(name)))
		line += strlen(name);
	snprintf(run->line, sizeof(run->line), "%.*s", (int)sizeof(run->line) - 1, line);
}

/* Options, the ones of every run, the image, and the guest's command line. */
static void fill_words(char **words, const char *const *options, const char *image,
		       const char *cmdline)
{
	static const char *const always[] = {"--json=-", "--quiet", TIMEOUT};
	unsigned count = 0;

	words[count++] = (char *)"tickvm";
	words[count++] = (char *)"run";
	for (unsigned i = 0; i < sizeof(always) / sizeof(*always); i++)
		words[count++] = (char *)always[i];
	for (unsigned i = 0; i < CHILD_WORDS_MAX && options[i]; i++)
		words[count++] = (char *)options[i];
	words[count++] = (char *)image;
	words[count++] = (char *)"--";
	words[count++] = (char *)cmdline;
	words[count] = NULL;
}

int child_run(const char *const *options, const char *image, const char *cmdline,
	      struct child_run *run, struct error *e)
{
	char *words[CHILD_WORDS_MAX + 9];
	struct outputs outputs;
	pid_t pid;
	int why;

	memset(run, 0, sizeof(*run));
	fill_words(words, options, image, cmdline);
	if (open_outputs(&outputs, e)) {
		close_outputs(&outputs);
		return -1;
	}
	fflush(NULL);
	why = spawn(words, &outputs, &pid);
	if (!why) {
		run->exit_code = wait_for(pid);
		read_last_line(outputs.text_fd, run);
		lseek(outputs.json_fd, 0, SEEK_SET);
		run->result = json_loadfd(outputs.json_fd, 0, NULL);
	}
	close_outputs(&outputs);
	return why ? error_set(e, TK_EXIT_FAIL, "repro: cannot run %s: %s", SELF, strerror(why))
		   : 0;
}
