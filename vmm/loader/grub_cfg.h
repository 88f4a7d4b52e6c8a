/*
 * The part of GRUB's script language that a menu of kernels needs: comments,
 * variables, quotes, menuentry with multiboot2/module2 (or multiboot/module), and
 * the default entry. Other simple commands are passed over; control flow is refused.
 */
#ifndef TICKVM_LOADER_GRUB_CFG_H
#define TICKVM_LOADER_GRUB_CFG_H

#include <stdbool.h>

#include "loader.h"

#define GRUB_PATH_MAX 256 /* with the NUL */

/* A file to load, and the arguments after its name, quoted as GRUB hands them on. */
struct grub_file {
	char path[GRUB_PATH_MAX];
	char cmdline[BOOT_CMDLINE_MAX];
};

/* What the chosen menu entry loads. */
struct grub_entry {
	enum boot_protocol protocol;
	bool has_kernel;
	struct grub_file kernel;
	struct grub_file modules[BOOT_MODULES_MAX];
	unsigned module_count;
};

/*
 * Reads a grub.cfg. `choice`: number (from 0), title or --id of an entry; NULL: the
 * file's default, else the first. Errors name the line.
 */
int grub_cfg_read(struct view text, const char *choice, struct grub_entry *entry, struct error *e);

#endif
