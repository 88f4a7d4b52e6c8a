/* The emulator's command line and process: see lab_qemu.h. */
#include "lab_qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab_protocol.h"

#define L1_MEM_MIB 256

/*
 * The boot is the same each time: no random addresses, no mitigations that would depend
 * on what the emulator's CPU is said to be. An oops ends L1, and the emulator with it.
 * The self-tests of the kernel's ciphers would be a third of the boot.
 */
#define L1_CMDLINE \
	"console=ttyS0 panic=-1 oops=panic quiet nokaslr mitigations=off cryptomgr.notests"

/* With several CPUs on several threads, L1 would mistrust the emulated TSC. */
#define L1_CMDLINE_REAL_TIME L1_CMDLINE " tsc=reliable clocksource=tsc"

void lab_option(struct lab_options *options, const char *format, ...)
{
	va_list args;
	char *word = NULL;

	va_start(args, format);
	if (vasprintf(&word, format, args) < 0)
		word = NULL;
	va_end(args);
	if (word && options->count < sizeof(options->words) / sizeof(options->words[0]) - 1)
		options->words[options->count++] = word;
	else
		free(word);
}

void lab_option_file(struct lab_options *options, const char *name, const char *path)
{
	char quoted[2 * PATH_MAX], *to = quoted;

	for (; *path && to < quoted + sizeof(quoted) - 2; path++) {
		if (*path == ',')
			*to++ = ',';
		*to++ = *path;
	}
	*to = 0;
	lab_option(options, "-fw_cfg");
	lab_option(options, "name=%s,file=%s", name, quoted);
}

void lab_options_free(struct lab_options *options)
{
	while (options->count)
		free(options->words[--options->count]);
}

/* A list of words that needs no formatting, separated by spaces. */
static void add_words(struct lab_options *options, const char *words)
{
	while (*words) {
		size_t length = strcspn(words, " ");

		lab_option(options, "%.*s", (int)length, words);
		words += length + (words[length] == ' ');
	}
}

static void add_time(struct lab_options *options, const struct lab_shape *shape)
{
	if (shape->real_time) {
		add_words(options,
			  shape->cpus > 1 ? "-accel tcg,thread=multi" : "-accel tcg,thread=single");
		return;
	}
	/* One instruction is one ns; the clock starts at a time of its own. */
	add_words(options, "-accel tcg,thread=single -icount shift=0,sleep=off,align=off "
			   "-rtc base=2024-01-01T00:00:00,clock=vm -seed 1");
}

/* What the snapshot must find again: the machine, and all that /init speaks with. */
static void add_machine(struct lab_options *options, const struct lab_shape *shape)
{
	add_time(options, shape);
	/* No SATA: the controller answers when a thread of QEMU's gets to it. */
	add_words(options,
		  "-machine q35,sata=off,smbus=off -cpu max -nodefaults -display none -no-reboot");
	lab_option(options, "-smp");
	lab_option(options, "%u", shape->cpus);
	lab_option(options, "-m");
	lab_option(options, "%u", L1_MEM_MIB);
	add_words(options, "-chardev stdio,id=out,signal=off");
	lab_option(options, "-device");
	lab_option(options, "isa-debugcon,iobase=%#x,chardev=out", LAB_PORT_OUT);
	lab_option(options, "-device");
	lab_option(options, "pvpanic,ioport=%#x", LAB_PORT_PAUSE);
	lab_option(options, "-device");
	lab_option(options, "isa-debug-exit,iobase=%#x,iosize=4", LAB_PORT_END);
	add_words(options, "-kernel vmlinuz -initrd initrd.gz -append");
	lab_option(options, "%s", shape->real_time ? L1_CMDLINE_REAL_TIME : L1_CMDLINE);
}

uint32_t lab_machine_hash(const struct lab_shape *shape)
{
	struct lab_options options = {0};
	uint32_t hash = LAB_HASH_BEGIN;

	add_machine(&options, shape);
	for (unsigned i = 0; i < options.count; i++)
		hash = lab_hash(hash, options.words[i]);
	lab_options_free(&options);
	return hash;
}

static void add_snapshot(struct lab_options *options, int snapshot_fd)
{
	if (snapshot_fd < 0) {
		add_words(options, "-action panic=pause");
		return;
	}
	add_words(options, "-action panic=none -incoming");
	lab_option(options, "fd:%d", snapshot_fd);
}

/*
 * L1's console: under instruction counting a file, which is never full and never late;
 * in real time a socket, because /init's machine needs a line now and then.
 */
static int add_serial(struct lab_options *options, bool real_time, const char *scratch, int *ours)
{
	int pair[2];
	char path[PATH_MAX];

	if (real_time) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return -1;
		fcntl(pair[0], F_SETFD, FD_CLOEXEC);
		*ours = pair[0];
		lab_option(options, "-chardev");
		lab_option(options, "socket,id=serial,fd=%d", pair[1]);
		add_words(options, "-serial chardev:serial");
		return pair[1];
	}
	snprintf(path, sizeof(path), "%s/console", scratch);
	*ours = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	lab_option(options, "-serial");
	lab_option(options, "file:%s", path);
	return *ours < 0 ? -1 : dup(STDIN_FILENO); /* a descriptor to close, like a socket's */
}

static int add_monitor(struct lab_options *options, struct lab_qemu *qemu)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	fcntl(pair[0], F_SETFD, FD_CLOEXEC);
	qemu->qmp_fd = pair[0];
	lab_option(options, "-chardev");
	lab_option(options, "socket,id=monitor,fd=%d", pair[1]);
	add_words(options, "-mon chardev=monitor,mode=control");
	return pair[1];
}

/* The child: the lab's directory is its own, so that no path of ours needs quoting. */
static _Noreturn void become_qemu(const struct lab *lab, const struct lab_qemu *qemu, int out,
				  char **words)
{
	int null = open("/dev/null", O_RDONLY);
	int log = open(qemu->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	if (chdir(lab->dir) == 0)
		execvp(words[0], words);
	dprintf(STDERR_FILENO, "%s: %s\n", words[0], strerror(errno));
	_exit(TK_EXIT_SKIPPED);
}

static int spawn(struct lab_qemu *qemu, const struct lab *lab, char **words, struct error *e)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC))
		return error_set(e, TK_EXIT_FAIL, "lab: pipe: %s", strerror(errno));
	qemu->pid = fork();
	if (qemu->pid == 0)
		become_qemu(lab, qemu, out[1], words);
	close(out[1]);
	qemu->out = out[0];
	fcntl(qemu->out, F_SETFL, O_NONBLOCK);
	if (qemu->pid < 0)
		return error_set(e, TK_EXIT_FAIL, "lab: fork: %s", strerror(errno));
	return 0;
}

int lab_qemu_start(struct lab_qemu *qemu, const struct lab *lab, const struct lab_shape *shape,
		   const char *scratch, int snapshot_fd, const struct lab_options *more,
		   struct error *e)
{
	struct lab_options options = {0};
	int serial, monitor, result = -1;

	memset(qemu, 0, sizeof(*qemu));
	qemu->out = qemu->serial = qemu->qmp_fd = -1;
	snprintf(qemu->log, sizeof(qemu->log), "%s/qemu.log", scratch);
	lab_option(&options, LAB_QEMU);
	add_machine(&options, shape);
	serial = add_serial(&options, shape->real_time, scratch, &qemu->serial);
	monitor = add_monitor(&options, qemu);
	add_snapshot(&options, snapshot_fd);
	for (unsigned i = 0; i < more->count; i++)
		lab_option(&options, "%s", more->words[i]);
	if (serial < 0 || monitor < 0)
		error_set(e, TK_EXIT_FAIL, "lab: console or monitor: %s", strerror(errno));
	else
		result = spawn(qemu, lab, options.words, e);
	close(serial);
	close(monitor);
	fcntl(qemu->serial, F_SETFL, O_NONBLOCK);
	qemu->qmp = fdopen(qemu->qmp_fd, "r");
	lab_options_free(&options);
	return result;
}

void lab_qemu_stop(struct lab_qemu *qemu)
{
	if (qemu->pid > 0) {
		kill(qemu->pid, SIGKILL);
		waitpid(qemu->pid, NULL, 0);
	}
	if (qemu->qmp)
		fclose(qemu->qmp);
	close(qemu->out);
	close(qemu->serial);
	qemu->pid = 0;
}

int lab_qemu_failed(const struct lab_qemu *qemu, const char *otherwise, struct error *e)
{
	char line[200] = "";
	FILE *log = fopen(qemu->log, "re");
	bool missing;

	if (log && !fgets(line, sizeof(line), log))
		line[0] = 0;
	if (log)
		fclose(log);
	line[strcspn(line, "\n")] = 0;
	missing = !strncmp(line, LAB_QEMU ": No such file", strlen(LAB_QEMU ": No such file"));
	if (missing)
		return error_set(e, TK_EXIT_SKIPPED, "lab: %s is missing: the package %s has it",
				 LAB_QEMU, LAB_QEMU_PACKAGE);
	return error_set(e, TK_EXIT_FAIL, "lab: %s", line[0] ? line : otherwise);
}
