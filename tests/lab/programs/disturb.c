/*
 * Does to L1 what a bug of its kernel would: `disturb warn` leaves a warning in the
 * kernel log, `panic` ends the kernel, `hang` never ends, `abort` dies by a signal,
 * `print FILE` prints a file of L1.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 || write(fd, text, strlen(text)) < 0;
}

static int print(const char *path)
{
	char data[4096];
	ssize_t length;
	int fd = open(path, O_RDONLY);

	while ((length = read(fd, data, sizeof(data))) > 0)
		fwrite(data, 1, (size_t)length, stdout);
	return length < 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "warn"))
		return write_to("/dev/kmsg", "<4>WARNING: CPU: 0 PID: 1 at disturb.c:1 main+0x0\n");
	if (!strcmp(what, "panic"))
		return write_to("/proc/sysrq-trigger", "c");
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "print") && argc > 2)
		return print(argv[2]);
	while (!strcmp(what, "hang"))
		pause();
	return 2;
}
