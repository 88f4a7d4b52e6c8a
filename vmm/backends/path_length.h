/*
 * Path length: how many instructions an operation takes, in guest, VMM and host kernel
 * together, exactly. The lab runs all three as one program under an emulator that counts
 * each executed instruction by its address; here the counts get their owners and symbols
 * and go into the result object.
 *
 * Each phase of the result (a loop of `operations` equal operations) gets
 *   path_length                 all that was executed from its begin to its end
 *   per_operation.path_length   what every operation executes: for each address the
 *                               integer next to executions / operations, summed up
 *   profile                     both by symbol, when asked for
 * The two differ by what does not belong to an operation: L1's timer interrupts, the
 * phase's own begin and end. An instruction that faults or leaves the guest counts when
 * it begins, so it counts where the emulator's clock does not.
 */
#ifndef TICKVM_BACKENDS_PATH_LENGTH_H
#define TICKVM_BACKENDS_PATH_LENGTH_H

#include <jansson.h>
#include <stdbool.h>

struct error;

struct path_length_files {
	const char *counts;	/* by the plugin */
	const char *vmm;	/* tickvm, as it ran */
	const char *image;	/* of the guest, ISO or ELF */
	const char *menu_entry; /* of the ISO's grub.cfg; NULL: its default */
	const char *kallsyms;	/* of L1 */
};

/*
 * Value of QEMU's option -plugin for the plugin file; the counts of a run of `vmm` will
 * be in `counts`. The caller frees it. NULL: `vmm` cannot be read or has no marks.
 */
char *path_length_plugin_option(const char *plugin, const char *counts, const char *vmm,
				struct error *e);

/* Adds the path lengths of a run to its result. -1: a file is not what it should be. */
int path_length_add(json_t *result, const struct path_length_files *files, bool with_profile,
		    struct error *e);

#endif
