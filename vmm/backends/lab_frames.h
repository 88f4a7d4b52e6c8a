/*
 * The frames that L1's /init sends, taken from the emulator's output, and the loop that
 * keeps the emulator company meanwhile.
 */
#ifndef TICKVM_BACKENDS_LAB_FRAMES_H
#define TICKVM_BACKENDS_LAB_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lab_protocol.h"

struct lab_qemu;

struct lab_frames {
	void (*on_frame)(void *owner, uint32_t kind, const char *data, uint32_t length);
	void *owner;
	struct lab_frame head;
	char data[LAB_FRAME_MAX];
	uint32_t taken; /* bytes of head and data that have come */
	bool broken;	/* what came is no frame */
};

/* Any split of the bytes. */
void lab_frames_feed(struct lab_frames *frames, const char *bytes, size_t length);

struct lab_pump {
	struct lab_qemu *qemu;
	struct lab_frames *frames;
	const bool *done;     /* set by a frame: return then; NULL: only at the end */
	bool heartbeat;	      /* a line to L1's console five times a second */
	bool console;	      /* L1's console to stderr */
	uint64_t deadline_ns; /* on the host's monotonic clock; 0: none */
	uint64_t next_beat_ns;
	char last_line[200]; /* of L1's console */
};

enum lab_pumped { LAB_PUMP_DONE, LAB_PUMP_END, LAB_PUMP_TIMEOUT };

/* Takes frames until `done`, the emulator's end, or the deadline. */
enum lab_pumped lab_pump(struct lab_pump *pump);

#endif
