/* See child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "../host_clock.h"
#include "../measure/record.h"
#include "../report/report.h"

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

/*
 * In the child: without the terminal, which a run would take over, and gone with us
 * whatever becomes of us. Only calls that are allowed after fork() of a process with threads.
 */
static _Noreturn void become(const char *program, char *const *words, const struct outputs *outputs,
			     int failure_fd)
{
	int null_fd = open("/dev/null", O_RDONLY);
	int why;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && null_fd >= 0 &&
	    dup2(null_fd, STDIN_FILENO) >= 0 && dup2(outputs->json_fd, STDOUT_FILENO) >= 0 &&
	    dup2(outputs->text_fd, STDERR_FILENO) >= 0)
		execvp(program, words);
	why = errno;
	(void)!write(failure_fd, &why, sizeof(why));
	_exit(TK_EXIT_FAIL);
}

/* 0, or why it could not be started: told through a pipe that a good exec() closes. */
static int spawn(const char *program, char *const *words, const struct outputs *outputs, pid_t *pid)
{
	int why = 0, ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (*pid == 0)
		become(program, words, outputs, ends[1]);
	if (*pid < 0)
		why = errno;
	close(ends[1]);
	if (!why && read(ends[0], &why, sizeof(why)) == sizeof(why))
		waitpid(*pid, NULL, 0);
	close(ends[0]);
	return why;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

/* Its exit code and CPU time, which so is counted in the same way whatever it was. */
static void wait_for(pid_t pid, struct child_run *run)
{
	struct rusage usage = {.ru_utime = {0}};
	int status = 0;

	while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	run->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_CODES + WTERMSIG(status);
	run->user_ns = time_ns(usage.ru_utime);
	run->system_ns = time_ns(usage.ru_stime);
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

/* What a guest printed that ran under another VMM, judged as ours is. */
static json_t *result_of_text(int fd)
{
	struct serial_reader reader;
	struct record record;
	char data[4096];
	ssize_t length;
	json_t *result;

	record_init(&record);
	snprintf(record.backend, sizeof(record.backend), "serial text");
	serial_reader_init(&reader, &record);
	while ((length = read(fd, data, sizeof(data))) > 0)
		serial_reader_feed(&reader, data, (size_t)length);
	serial_reader_finish(&reader);
	record.end = record.guest_code < 0 ? END_NO_EXIT : END_EXIT;
	result = result_build(&record, NULL, NULL);
	record_free(&record);
	return result;
}

static void take_outputs(const struct outputs *outputs, enum child_output kind,
			 struct child_run *run)
{
	read_last_line(outputs->text_fd, run);
	lseek(outputs->json_fd, 0, SEEK_SET);
	if (kind == CHILD_JSON) {
		run->result = json_loadfd(outputs->json_fd, 0, NULL);
		return;
	}
	run->result = result_of_text(outputs->json_fd);
	if (run->result)
		run->exit_code = result_exit_code(run->result);
}

int child_run_program(const char *program, char *const *words, enum child_output kind,
		      struct child_run *run, struct error *e)
{
	struct outputs outputs;
	pid_t pid = -1;
	int why;

	memset(run, 0, sizeof(*run));
	if (open_outputs(&outputs, e)) {
		close_outputs(&outputs);
		return -1;
	}
	fflush(NULL);
	run->wall_ns = host_monotonic_ns();
	why = spawn(program, words, &outputs, &pid);
	if (!why) {
		wait_for(pid, run);
		run->wall_ns = host_monotonic_ns() - run->wall_ns;
		take_outputs(&outputs, kind, run);
	}
	close_outputs(&outputs);
	return why ? error_set(e, TK_EXIT_USAGE, "cannot run %s: %s", program, strerror(why)) : 0;
}

int child_run(const char *const *options, const char *image, const char *cmdline,
	      struct child_run *run, struct error *e)
{
	char *words[CHILD_WORDS_MAX + 9];

	fill_words(words, options, image, cmdline);
	return child_run_program(SELF, words, CHILD_JSON, run, e);
}
