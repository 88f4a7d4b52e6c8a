/*
 * A script for gdb, which finds L1 at the emulator's port and the modules where L1's
 * kernel has loaded them: the boot is the same each time, so that their addresses are.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "lab.h"
#include "lab_protocol.h"

/* Each "MODULE .text ADDRESS" that L1 sent; only KVM's own were built here. */
static void write_symbols(FILE *script, const struct lab *lab, FILE *sections)
{
	char module[64], address[32];

	while (fscanf(sections, "%63s .text %31s", module, address) == 2) {
		for (char *c = module; *c; c++)
			*c = *c == '_' ? '-' : *c;
		if (!strcmp(module, "kvm") || !strcmp(module, "kvm-amd"))
			fprintf(script, "add-symbol-file %s/build/arch/x86/kvm/%s.ko %s\n",
				lab->dir, module, address);
	}
}

int lab_gdb_script(const struct lab *lab, const struct lab_shape *shape, struct error *e)
{
	char path[2 * PATH_MAX], from[2 * PATH_MAX], kernel[2 * PATH_MAX];
	FILE *script, *sections;

	snprintf(path, sizeof(path), "%s/lab.gdb", lab->dir);
	snprintf(from, sizeof(from), "%s/" LAB_SECTIONS, lab->dir);
	script = fopen(path, "we");
	if (!script)
		return error_set(e, TK_EXIT_FAIL, "lab: %.160s: %s", path, strerror(errno));
	fprintf(script, "set confirm off\nset architecture i386:x86-64\n");
	if (snprintf(kernel, sizeof(kernel), "%s/kernel/vmlinux", lab->dir) > 0 &&
	    !access(kernel, R_OK)) /* built whole */
		fprintf(script, "file %s\n", kernel);
	sections = shape->real_time ? NULL : fopen(from, "re"); /* they lie elsewhere then */
	if (sections) {
		write_symbols(script, lab, sections);
		fclose(sections);
	}
	fprintf(script, "target remote " LAB_GDB_ADDRESS "\n");
	if (fclose(script))
		return error_set(e, TK_EXIT_FAIL, "lab: %.160s: %s", path, strerror(errno));
	fprintf(stderr,
		"tickvm: lab: L1 waits: gdb -x %s\n"
		"tickvm: lab: the kernel's symbols are in %s/" LAB_KALLSYMS "\n",
		path, lab->dir);
	return 0;
}
