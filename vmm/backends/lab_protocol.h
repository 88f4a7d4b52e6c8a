/*
 * What the lab's two ends say to each other: tickvm on the machine, and /init of the
 * nested host (L1). Compiled by both.
 *
 * All of it is synchronous, so that under instruction counting a run depends on
 * nothing but its input: two runs of the same binaries are identical to the bit.
 *   In:  QEMU's fw_cfg (docs/specs/fw_cfg in QEMU), which L1 reads by its DMA port. A
 *        file LAB_MANIFEST says what to do, the files LAB_FILE "0", "1", … are what
 *        it needs.
 *   Out: frames through a port of QEMU's isa-debugcon, which writes each byte before
 *        the next instruction is executed.
 *   Snapshot: L1 stops itself by QEMU's pvpanic port, at an instruction of its own.
 *   End: QEMU's isa-debug-exit, which ends the emulator within that instruction.
 */
#ifndef TICKVM_BACKENDS_LAB_PROTOCOL_H
#define TICKVM_BACKENDS_LAB_PROTOCOL_H

#include <stdint.h>

#define LAB_PORT_OUT   0xe9  /* isa-debugcon */
#define LAB_PORT_PAUSE 0x505 /* pvpanic */
#define LAB_PORT_END   0xf4  /* isa-debug-exit */

/* docs/specs/pvpanic: bit 0, "a panic has happened". */
#define LAB_PAUSE 1

/*
 * The manifest: lines closed by NUL, in this order of kinds, each once or more:
 *   file=NAME   the next of the numbered files is to be WORK_DIR/NAME
 *   trace=EVENT an event for tracefs' set_event
 *   out=NAME    file of WORK_DIR to send when the program has ended, if it is there
 *   arg=WORD    the program, a NAME above, and its arguments
 */
#define LAB_MANIFEST "opt/tickvm/manifest"
#define LAB_FILE     "opt/tickvm/file/" /* and a decimal number */
#define LAB_WORK_DIR "/run"
#define LAB_TRACE    "trace" /* name of the file that the trace comes out as */
#define LAB_KALLSYMS "kallsyms"
#define LAB_SECTIONS "sections"

/* A frame: this, little-endian, then `length` bytes. */
struct lab_frame {
	uint32_t kind; /* enum lab_frame_kind */
	uint32_t length;
};
_Static_assert(sizeof(struct lab_frame) == 8, "as the wire has it");

enum lab_frame_kind {
	LAB_FRAME_READY = 0x4c414230, /* struct lab_memory: L1 is up, and stops next */
	LAB_FRAME_STDOUT,	      /* of the program */
	LAB_FRAME_STDERR,	      /* of the program, and what /init itself has to say */
	LAB_FRAME_FILE,		      /* a name: the frames of DATA that follow are its content */
	LAB_FRAME_DATA,
	LAB_FRAME_WARNING, /* a line of L1's kernel log that must not be there */
	LAB_FRAME_EXIT,	   /* int32_t: exit code, or 128 + signal; nothing follows */
};
/* Of /init: the text of /proc/kallsyms, to be read while L1 stands still. */
struct lab_memory {
	uint64_t address; /* virtual */
	uint64_t size;
};

#define LAB_FRAME_MAX 65536 /* bytes of one */

#endif
