/* Frames from L1, and the loop that takes them: see lab_frames.h. */
#include "lab_frames.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../host_clock.h"
#include "lab_qemu.h"

#define TICK_MS 50	  /* how often the console is looked at */
#define BEAT_NS 200000000 /* QEMU 7.2 can lose an L1 interrupt until the next one comes */

/* How many bytes the frame has in all; the head must be whole. */
static uint32_t frame_size(const struct lab_frames *frames)
{
	return (uint32_t)sizeof(frames->head) + frames->head.length;
}

/* Takes what belongs to one part of the frame; returns how much that was. */
static size_t take(struct lab_frames *frames, char *part, uint32_t at, uint32_t end,
		   const char *bytes, size_t length)
{
	size_t wanted = end - at;

	if (wanted > length)
		wanted = length;
	memcpy(part, bytes, wanted);
	frames->taken += (uint32_t)wanted;
	return wanted;
}

static size_t take_some(struct lab_frames *frames, const char *bytes, size_t length)
{
	uint32_t at = frames->taken, head = sizeof(frames->head);

	if (at < head)
		return take(frames, (char *)&frames->head + at, at, head, bytes, length);
	return take(frames, frames->data + at - head, at, frame_size(frames), bytes, length);
}

void lab_frames_feed(struct lab_frames *frames, const char *bytes, size_t length)
{
	while (length && !frames->broken) {
		size_t taken = take_some(frames, bytes, length);

		bytes += taken;
		length -= taken;
		if (frames->taken < sizeof(frames->head))
			return;
		frames->broken = frames->head.kind < LAB_FRAME_READY ||
				 frames->head.kind > LAB_FRAME_EXIT ||
				 frames->head.length > LAB_FRAME_MAX;
		if (frames->broken || frames->taken < frame_size(frames))
			continue;
		frames->on_frame(frames->owner, frames->head.kind, frames->data,
				 frames->head.length);
		frames->taken = 0;
	}
}

/* The last line of the console that has text: what L1's kernel said when it died. */
static void keep_last_line(struct lab_pump *pump, const char *text, size_t length)
{
	size_t kept = strlen(pump->last_line);

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n' && i + 1 < length && text[i + 1] >= ' ')
			kept = 0;
		if (text[i] >= ' ' && kept < sizeof(pump->last_line) - 1)
			pump->last_line[kept++] = text[i];
		pump->last_line[kept] = 0;
	}
}

static void take_console(struct lab_pump *pump)
{
	char text[4096];
	ssize_t length;

	while ((length = read(pump->qemu->serial, text, sizeof(text))) > 0) {
		if (pump->console)
			fwrite(text, 1, (size_t)length, stderr);
		keep_last_line(pump, text, (size_t)length);
	}
}

static void beat(struct lab_pump *pump)
{
	uint64_t now_ns = host_monotonic_ns();

	if (!pump->heartbeat || now_ns < pump->next_beat_ns)
		return;
	send(pump->qemu->serial, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	pump->next_beat_ns = now_ns + BEAT_NS;
}

/* Everything that has come; false: the emulator has closed its end. */
static bool take_frames(struct lab_pump *pump)
{
	char bytes[65536];
	ssize_t length;

	while ((length = read(pump->qemu->out, bytes, sizeof(bytes))) > 0)
		lab_frames_feed(pump->frames, bytes, (size_t)length);
	return length != 0;
}

enum lab_pumped lab_pump(struct lab_pump *pump)
{
	struct pollfd out = {.fd = pump->qemu->out, .events = POLLIN};
	bool open = true;

	while (open) {
		poll(&out, 1, TICK_MS);
		open = take_frames(pump);
		take_console(pump);
		beat(pump);
		if (pump->done && *pump->done)
			return LAB_PUMP_DONE;
		if (pump->deadline_ns && host_monotonic_ns() > pump->deadline_ns)
			return LAB_PUMP_TIMEOUT;
	}
	return LAB_PUMP_END;
}
