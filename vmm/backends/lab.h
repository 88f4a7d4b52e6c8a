/*
 * The lab: a nested host (L1, a Linux with a KVM of one's choice) under QEMU's emulator,
 * where guest, VMM and host kernel are one program. With QEMU's instruction counting
 * (-icount) that program is deterministic: one instruction is one ns of L1's clock,
 * whatever the machine and its load.
 *
 * A lab is a directory of LAB_DIR/labs: kernel, initramfs, and a snapshot of the booted
 * L1 for each shape (instruction counting or real time, number of CPUs) that was asked
 * for. scripts/lab/build makes the files, this directory boots, snapshots and runs.
 */
#ifndef TICKVM_BACKENDS_LAB_H
#define TICKVM_BACKENDS_LAB_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

#define LAB_CPUS_MAX 16

enum lab_kvm { LAB_STOCK, LAB_PATCHED, LAB_TREE };

/* Which lab, as --stock, --patched, --kernel and --tree say. */
struct lab_spec {
	enum lab_kvm kvm;
	const char *kernel; /* the beginning of a Debian version; NULL: the current one */
	const char *tree;   /* of LAB_TREE */
	bool debug;	    /* a whole kernel that looks for faults of locking and memory */
};

/* What a snapshot was made for. */
struct lab_shape {
	bool real_time; /* no instruction counting */
	unsigned cpus;	/* of L1 */
};

/* A lab, built or not. */
struct lab {
	char name[128];
	char dir[PATH_MAX];
	char kernel[96];      /* "": not built */
	char modules[72];     /* digest of KVM's modules, hexadecimal */
	const char *kvm_name; /* "stock", "patched", "tree" */
	char tree[PATH_MAX];  /* "": none */
};

/* ---- where things are (lab_place.c) ---- */

/* $TICKVM_LAB_DIR, else build/lab of the source tree, else tickvm/lab of the user's cache. */
int lab_root(char root[PATH_MAX], struct error *e);

/* Scripts of the source tree that this binary was built in, or of the installation. */
int lab_script(const char *name, char path[PATH_MAX], struct error *e);

/* Names the lab, and reads what was built; it may not be there yet. -1: a bad name or path. */
int lab_find(const struct lab_spec *spec, struct lab *lab, struct error *e);

/* The lab of that name; -1: there is none. */
int lab_open(const char *name, struct lab *lab, struct error *e);

/* Path of the snapshot of this shape; false: it is not there. */
bool lab_snapshot_path(const struct lab *lab, const struct lab_shape *shape, char path[PATH_MAX]);

/* FNV-1a, 32 bits: tells apart what would have the same name. */
#define LAB_HASH_BEGIN 2166136261u
uint32_t lab_hash(uint32_t hash, const char *text);

/* ---- building (lab_build.c, lab_snapshot.c) ---- */

/* Makes or renews the lab's files; what did not change is kept, snapshots included. */
int lab_build(const struct lab_spec *spec, struct lab *lab, struct error *e);

/* Boots L1 and snapshots it, unless that was done. */
int lab_snapshot(const struct lab *lab, const struct lab_shape *shape, struct error *e);

/* ---- listing (lab_list.c) ---- */

/* Each: one line of text or a JSON object a lab. */
int lab_list(bool as_json, struct error *e);

/* Removes the lab of that name; NULL: all labs, kernels and packages. */
int lab_clean(const char *name, struct error *e);

/* ---- running (lab_run.c) ---- */

/* One file that goes in, as NAME in L1's work directory. */
struct lab_input {
	const char *path;
	const char *name;
};
#define LAB_INPUTS_MAX 32

struct lab_job {
	struct lab_shape shape;
	struct lab_input inputs[LAB_INPUTS_MAX];
	unsigned input_count;
	const char *const *args; /* the program, a path within L1, and its arguments */
	unsigned arg_count;
	const char *result;	   /* name of a file to bring out; NULL: none */
	const char *trace_events;  /* for set_event, separated by commas; NULL: no trace */
	const char *trace_path;	   /* where the trace goes */
	const char *plugin_option; /* of QEMU's -plugin; NULL: none */
	enum { LAB_NO_GDB, LAB_GDB_START, LAB_GDB_RUN } gdb;
	bool console; /* L1's kernel console to stderr */
	bool hold_stderr;
	int out_fd; /* where the program's standard output goes */
	uint64_t timeout_ns;
};

/* What came of a job. */
struct lab_outcome {
	int exit_code;	   /* of the program, or 128 + signal */
	char *result;	   /* content of the file, closed by NUL; NULL: it was not there */
	char *held_stderr; /* what hold_stderr kept back; NULL: nothing */
	json_t *warnings;  /* lines of L1's kernel log that must not be there */
	uint64_t wall_ns;  /* command to end, on this machine */
	unsigned retries;
};

/*
 * Runs the job in the lab. -1: L1 did not end as it should; the line of *e says how, and
 * its code is 124 for a time-out. In real time, one time-out is tried again: QEMU's
 * emulator can lose an interrupt of L1.
 */
int lab_run(const struct lab *lab, const struct lab_job *job, struct lab_outcome *outcome,
	    struct error *e);
void lab_outcome_free(struct lab_outcome *outcome);

/* Writes a script for gdb to the lab's directory, and says so on stderr (lab_gdb.c). */
#define LAB_GDB_ADDRESS "127.0.0.1:1234"
int lab_gdb_script(const struct lab *lab, const struct lab_shape *shape, struct error *e);

/* ---- the result (lab_result.c) ---- */

/* Adds to L1's result where it ran, and what L1's kernel had to say. */
int lab_result_add(json_t *result, const struct lab *lab, const struct lab_job *job,
		   const struct lab_outcome *outcome, struct error *e);

#endif
