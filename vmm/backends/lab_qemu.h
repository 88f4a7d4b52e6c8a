/*
 * The emulator that a lab runs in: its command line, its process and its ends.
 */
#ifndef TICKVM_BACKENDS_LAB_QEMU_H
#define TICKVM_BACKENDS_LAB_QEMU_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lab.h"

#define LAB_QEMU	 "qemu-system-x86_64"
#define LAB_QEMU_PACKAGE "qemu-system-x86"

/* More options of the emulator, for the one who starts it. */
struct lab_options {
	char *words[96]; /* owned */
	unsigned count;
};

/* Appends a word, made as by printf. */
void lab_option(struct lab_options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends "-fw_cfg name=NAME,file=PATH"; commas of the path as QEMU wants them. */
void lab_option_file(struct lab_options *options, const char *name, const char *path);
void lab_options_free(struct lab_options *options);

/* Of the machine that a snapshot of this shape fits: another tickvm may want another. */
uint32_t lab_machine_hash(const struct lab_shape *shape);

struct lab_qemu {
	pid_t pid;  /* 0: none */
	int out;    /* frames of /init */
	int serial; /* L1's console; in real time also its input */
	int qmp_fd; /* QEMU's monitor */
	FILE *qmp;  /* the same, for reading */
	bool greeted;
	char log[PATH_MAX]; /* what QEMU itself says on stderr */
};

/*
 * Starts QEMU with the lab's kernel and initramfs, in the shape, with `scratch` for files
 * of its own; snapshot_fd >= 0: L1 is resumed from it. -1: it cannot be started, with
 * code 77 where it is not installed.
 */
int lab_qemu_start(struct lab_qemu *qemu, const struct lab *lab, const struct lab_shape *shape,
		   const char *scratch, int snapshot_fd, const struct lab_options *more,
		   struct error *e);

/* Ends it if it runs still, and frees what it held. */
void lab_qemu_stop(struct lab_qemu *qemu);

/* Fills *e with what QEMU said last, or with `otherwise`; returns -1. */
int lab_qemu_failed(const struct lab_qemu *qemu, const char *otherwise, struct error *e);

/* ---- QEMU's monitor, QMP (lab_qmp.c) ---- */

/* One command, whose arguments it takes over (NULL: none). Its "return"; NULL: an error. */
json_t *lab_qmp(struct lab_qemu *qemu, const char *command, json_t *arguments);

/* Waits until the machine stands still, loaded or stopped by itself. -1: it never does. */
int lab_qmp_wait_stopped(struct lab_qemu *qemu, uint64_t timeout_ns);

#endif
