/* System calls by strace: see syscalls_strace.h and strace(1), -c. */
#include "syscalls_strace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define NS_PER_S 1e9
#define TRIES	 5000 /* of 1 ms, for it to attach */
#define COLUMNS	 "time-total,calls,errors,name"

static bool is_traced(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[128];
	int tracer = 0;

	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	}
	if (status)
		fclose(status);
	return tracer != 0;
}

static bool wait_attached(pid_t strace)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < TRIES && !is_traced(); i++) {
		if (waitpid(strace, NULL, WNOHANG) == strace)
			return false;
		nanosleep(&pause, NULL);
	}
	return is_traced();
}

/* In a session of its own, so that the terminal's signals are the run's alone. */
static _Noreturn void become_strace(pid_t process, pid_t parent, int output_fd)
{
	char pid[16], path[32];
	int null_fd = open("/dev/null", O_RDWR);
	sigset_t none;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(pid, sizeof(pid), "%d", process);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", parent, output_fd);
	sigemptyset(&none); /* the run takes its signals by a descriptor: they are blocked */
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null_fd, STDIN_FILENO);
	dup2(null_fd, STDOUT_FILENO);
	dup2(null_fd, STDERR_FILENO);
	execlp("strace", "strace", "-f", "-c", "-U", COLUMNS, "-o", path, "-p", pid, NULL);
	_exit(1);
}

int syscalls_strace_start(struct syscalls *syscalls, struct error *e)
{
	pid_t process = getpid();

	syscalls->output_fd = memfd_create("strace", MFD_CLOEXEC);
	syscalls->reader = fork();
	if (syscalls->reader == 0)
		become_strace(process, process, syscalls->output_fd);
	/* Where only a parent may trace (Yama), the child may if it is named. */
	prctl(PR_SET_PTRACER, syscalls->reader, 0, 0, 0);
	if (syscalls->reader > 0 && wait_attached(syscalls->reader))
		return 0;
	syscalls->reader = 0;
	return error_set(e, TK_EXIT_SKIPPED,
			 "--syscalls: neither tracepoints, nor a strace that may attach");
}

static int number_of(const char *name)
{
	for (unsigned i = 0; i < SYSCALLS_MAX; i++) {
		if (syscall_name(i) && !strcmp(syscall_name(i), name))
			return (int)i;
	}
	return -1;
}

/* "  0.000125        43         3 read"; where there were no errors, there is no number. */
static void take_line(struct syscall_table *table, const char *line)
{
	unsigned long long calls, errors = 0;
	char name[64];
	double seconds;
	int number;

	if (sscanf(line, "%lf %llu %llu %63s", &seconds, &calls, &errors, name) != 4) {
		errors = 0;
		if (sscanf(line, "%lf %llu %63s", &seconds, &calls, name) != 3)
			return;
	}
	number = number_of(name);
	if (number < 0)
		return;
	table->counts[number].calls = calls;
	table->counts[number].errors = errors;
	table->counts[number].ns = (uint64_t)(seconds * NS_PER_S);
}

void syscalls_strace_stop(struct syscalls *syscalls)
{
	char line[256];
	FILE *output;

	kill(syscalls->reader, SIGINT);
	while (waitpid(syscalls->reader, NULL, 0) < 0 && errno == EINTR)
		;
	lseek(syscalls->output_fd, 0, SEEK_SET);
	output = fdopen(syscalls->output_fd, "r");
	while (output && fgets(line, sizeof(line), output))
		take_line(syscalls->table, line);
	if (output)
		fclose(output);
}
