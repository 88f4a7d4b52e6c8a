/* /init of the lab's nested host, in parts: see init.c. */
#ifndef TICKVM_LAB_INIT_H
#define TICKVM_LAB_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../vmm/backends/lab_protocol.h"

/* ---- fw_cfg (init_fw_cfg.c) ---- */

struct fw_cfg_file {
	unsigned size; /* bytes */
	uint16_t selector;
};

/* False: there is no such file. */
bool fw_cfg_find(const char *name, struct fw_cfg_file *file);

/* The whole file in memory, a NUL behind it. */
char *fw_cfg_load(const struct fw_cfg_file *file);

/* The whole file as `path`, executable. -1 with errno. */
int fw_cfg_save(const struct fw_cfg_file *file, const char *path);

/* ---- what leaves (init_send.c) ---- */

void send_frame(unsigned kind, const void *data, size_t length);
void send_text(unsigned kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The content of a file under a name; nothing if it cannot be read. */
void send_file(const char *name, const char *path);

/* ---- where L1 is snapshotted (init_stop.c) ---- */

/* Stops the machine; returns in each that is resumed, at the same time of L1's clock. */
void stop_here(void);

/* ---- what is watched (init_watch.c) ---- */

/* Events for set_event; a line to stderr for one that is not there. */
void trace_start(const char *const *events, unsigned count);
void trace_send(void);

/* From here on the kernel log counts. */
void kernel_log_clear(void);

/* A frame for each line of the kernel log that says that something is wrong. */
void kernel_log_check(void);

/* Where the modules lie, for a debugger. */
void sections_send(void);

/* The kernel's symbols, for a profile. */
struct lab_memory kallsyms_read(void);

#endif
