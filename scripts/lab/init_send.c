/*
 * What leaves L1: frames through the port of QEMU's isa-debugcon. REP OUTSB is one
 * instruction, and each byte has been written by the emulator when the next is taken.
 */
#define _GNU_SOURCE
#include "init.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "port.h"

void send_frame(unsigned kind, const void *data, size_t length)
{
	struct lab_frame head = {.kind = kind, .length = (uint32_t)length};

	port_write(LAB_PORT_OUT, &head, sizeof(head));
	port_write(LAB_PORT_OUT, data, length);
}

void send_text(unsigned kind, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	send_frame(kind, text, strlen(text));
}

void send_file(const char *name, const char *path)
{
	static char data[LAB_FRAME_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return;
	send_frame(LAB_FRAME_FILE, name, strlen(name));
	while ((length = read(fd, data, sizeof(data))) > 0)
		send_frame(LAB_FRAME_DATA, data, (size_t)length);
	close(fd);
}
