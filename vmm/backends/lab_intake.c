/*
 * What a job's frames become: the program's output goes on at once, files are gathered,
 * warnings of L1's kernel are listed.
 */
#include "lab_intake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab.h"
#include "lab_protocol.h"

void lab_intake_begin(struct lab_intake *intake, const struct lab_job *job,
		      struct lab_outcome *outcome)
{
	memset(intake, 0, sizeof(*intake));
	intake->job = job;
	intake->outcome = outcome;
	outcome->warnings = json_array();
	if (job->hold_stderr)
		intake->held_stderr = open_memstream(&outcome->held_stderr, &intake->held_size);
}

/* Whole, also to a pipe; output that nobody takes any more is lost. */
static void pass_on(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t written = write(fd, data, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		data += written;
		length -= (size_t)written;
	}
}

static void close_file(struct lab_intake *intake)
{
	if (intake->file && fclose(intake->file))
		intake->file_errno = errno;
	intake->file = NULL;
}

static bool is_name(const char *data, uint32_t length, const char *name)
{
	return name && length == strlen(name) && !memcmp(data, name, length);
}

static void open_file(struct lab_intake *intake, const char *data, uint32_t length)
{
	struct lab_outcome *outcome = intake->outcome;

	close_file(intake);
	if (is_name(data, length, LAB_TRACE)) {
		intake->file = fopen(intake->job->trace_path, "we");
		if (!intake->file)
			intake->file_errno = errno;
	} else if (is_name(data, length, intake->job->result) && !outcome->result) {
		intake->file = open_memstream(&outcome->result, &intake->result_size);
	}
}

static void take_stderr(struct lab_intake *intake, const char *data, uint32_t length)
{
	if (intake->held_stderr)
		fwrite(data, 1, length, intake->held_stderr);
	else
		pass_on(STDERR_FILENO, data, length);
}

static void take_exit(struct lab_intake *intake, const char *data, uint32_t length)
{
	int32_t code;

	if (length != sizeof(code))
		return;
	memcpy(&code, data, sizeof(code));
	intake->outcome->exit_code = code;
	intake->exited = true;
}

void lab_intake_frame(void *owner, uint32_t kind, const char *data, uint32_t length)
{
	struct lab_intake *intake = owner;

	switch (kind) {
	case LAB_FRAME_STDOUT:
		pass_on(intake->job->out_fd, data, length);
		break;
	case LAB_FRAME_STDERR:
		take_stderr(intake, data, length);
		break;
	case LAB_FRAME_FILE:
		open_file(intake, data, length);
		break;
	case LAB_FRAME_DATA:
		if (intake->file && fwrite(data, 1, length, intake->file) != length)
			intake->file_errno = errno;
		break;
	case LAB_FRAME_WARNING:
		json_array_append_new(intake->outcome->warnings, json_stringn(data, length));
		break;
	case LAB_FRAME_EXIT:
		take_exit(intake, data, length);
		break;
	default: /* READY, where L1 was booted for a debugger */
		break;
	}
}

int lab_intake_finish(struct lab_intake *intake, struct error *e)
{
	close_file(intake);
	if (intake->held_stderr)
		fclose(intake->held_stderr);
	if (intake->file_errno)
		return error_set(e, TK_EXIT_FAIL, "lab: the trace cannot be written to %s: %s",
				 intake->job->trace_path, strerror(intake->file_errno));
	return 0;
}
