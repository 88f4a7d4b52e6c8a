/* QEMU's monitor, QMP (docs/interop/qmp-spec): see lab_qemu.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "../host_clock.h"
#include "lab_qemu.h"

#define POLL_NS 5000000 /* between two looks at the machine's state */

/* The next message that answers a command; what QEMU says unasked is passed over. */
static json_t *read_answer(struct lab_qemu *qemu)
{
	for (;;) {
		json_t *message = json_loadf(qemu->qmp, JSON_DISABLE_EOF_CHECK, NULL);

		if (!message || json_object_get(message, "return") ||
		    json_object_get(message, "error") || json_object_get(message, "QMP"))
			return message;
		json_decref(message);
	}
}

static json_t *command(struct lab_qemu *qemu, const char *name, json_t *arguments)
{
	json_t *message = json_pack("{s:s}", "execute", name);
	json_t *answer, *content;
	char *text;

	if (arguments)
		json_object_set_new(message, "arguments", arguments);
	text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	if (!text)
		return NULL;
	send(qemu->qmp_fd, text, strlen(text),
	     MSG_NOSIGNAL); /* if QEMU is gone, so is the answer */
	free(text);
	answer = read_answer(qemu);
	content = json_incref(json_object_get(answer, "return"));
	json_decref(answer);
	return content;
}

/* The greeting comes first, and is answered once. */
static int greet(struct lab_qemu *qemu)
{
	json_t *greeting, *answer;

	greeting = read_answer(qemu);
	if (!greeting)
		return -1;
	json_decref(greeting);
	answer = command(qemu, "qmp_capabilities", NULL);
	json_decref(answer);
	qemu->greeted = true;
	return answer ? 0 : -1;
}

json_t *lab_qmp(struct lab_qemu *qemu, const char *name, json_t *arguments)
{
	if (qemu->qmp && (qemu->greeted || greet(qemu) == 0))
		return command(qemu, name, arguments);
	json_decref(arguments);
	return NULL;
}

int lab_qmp_wait_stopped(struct lab_qemu *qemu, uint64_t timeout_ns)
{
	uint64_t until_ns = host_monotonic_ns() + timeout_ns;

	do {
		json_t *answer = lab_qmp(qemu, "query-status", NULL);
		const char *status = json_string_value(json_object_get(answer, "status"));
		bool stopped = status && strcmp(status, "inmigrate") && strcmp(status, "running");

		json_decref(answer);
		if (!answer)
			return -1;
		if (stopped)
			return 0;
		nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
	} while (host_monotonic_ns() < until_ns);
	return -1;
}
