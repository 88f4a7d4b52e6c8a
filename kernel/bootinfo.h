/*
 * What the boot loader told, whichever it was, copied out before it can be
 * overwritten: multiboot2 (GRUB, tickvm) or PVH (QEMU -kernel, microvm).
 */
#ifndef TICKVM_BOOTINFO_H
#define TICKVM_BOOTINFO_H

#include <stdint.h>

#define BOOT_CMDLINE_SIZE 1024

struct bootinfo {
	const char *protocol; /* "multiboot2", "PVH" */
	char loader[32];      /* its name for itself, or "" */
	char cmdline[BOOT_CMDLINE_SIZE];
	/* The usable range that the image lies in, after the image and modules. */
	uint64_t ram_start, ram_end;
	uint64_t ram_total;	     /* bytes of usable RAM in all */
	uint64_t low_start, low_end; /* the largest usable range below 1 MiB */
	uint64_t rsdp; /* address of a copy or of the original; 0: look in the BIOS area */
};

const struct bootinfo *bootinfo(void);

#endif
