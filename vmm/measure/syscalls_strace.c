/* System calls by strace: see syscalls_strace.h and strace(1), -c. */
#include "syscalls_strace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1e9
#define COLUMNS	 "time-total,calls,errors,name"

/* The process that traces this one; 0: none. */
static pid_t tracer(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[128];
	int pid = 0;

	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "TracerPid: %d", &pid) == 1)
			break;
	}
	if (status)
		fclose(status);
	return pid;
}

static bool is_attached(const struct syscalls *syscalls)
{
	return tracer() == syscalls->reader;
}

/* Yama lets a child trace its parent only once that has named it. */
static void wait_named(const struct syscall_table *table)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (!atomic_load(&table->ready))
		nanosleep(&pause, NULL);
}

/*
 * In a session of its own, so that the terminal's signals are the run's alone. -w: times from
 * entry to return, as the tracepoints' are, not of the system's CPU use meanwhile.
 */
static _Noreturn void become_strace(pid_t process, struct syscalls *syscalls)
{
	char pid[16], path[32];
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != process) /* it ended before this one asked */
		_exit(1);
	wait_named(syscalls->table);
	snprintf(pid, sizeof(pid), "%d", process);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, syscalls->output_fd);
	sigemptyset(&none); /* the run takes its signals by a descriptor: they are blocked */
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null_fd, STDIN_FILENO);
	dup2(null_fd, STDOUT_FILENO);
	dup2(null_fd, STDERR_FILENO);
	execlp("strace", "strace", "-f", "-c", "-w", "-U", COLUMNS, "-o", path, "-p", pid, NULL);
	syscalls_explain(syscalls->table, "strace: %s", strerror(errno));
	_exit(1);
}

int syscalls_strace_start(struct syscalls *syscalls)
{
	pid_t process = getpid(), other = tracer();
	char *why = syscalls->table->why;
	size_t before = strlen(why);

	if (other) {
		syscalls_explain(syscalls->table, "strace: process %d traces this one already",
				 other);
		return -1;
	}
	syscalls->output_fd = memfd_create("strace", MFD_CLOEXEC);
	syscalls->reader = fork();
	if (syscalls->reader == 0)
		become_strace(process, syscalls);
	prctl(PR_SET_PTRACER, syscalls->reader, 0, 0, 0);
	atomic_store(&syscalls->table->ready, true);
	if (syscalls->reader > 0 && syscalls_await(syscalls, is_attached) == 0)
		return 0;
	if (strlen(why) == before)
		syscalls_explain(syscalls->table, "strace: it may not attach");
	return -1;
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

void syscalls_strace_parse(FILE *output, struct syscall_table *table)
{
	char line[256];

	table->lost++; /* of an unknown number, until its total is there */
	while (fgets(line, sizeof(line), output)) {
		take_line(table, line);
		table->lost -= strstr(line, " total") != NULL;
	}
}

void syscalls_strace_take(struct syscalls *syscalls)
{
	FILE *output;

	lseek(syscalls->output_fd, 0, SEEK_SET);
	output = fdopen(syscalls->output_fd, "r");
	if (!output)
		return;
	syscalls_strace_parse(output, syscalls->table);
	fclose(output);
}
