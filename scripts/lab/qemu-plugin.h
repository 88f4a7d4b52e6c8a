/*
 * The functions of QEMU's TCG plugin interface, API version 1, that our plugin calls
 * (QEMU's docs/devel/tcg-plugins.rst). Debian's QEMU loads plugins but ships no header.
 */
#ifndef TICKVM_LAB_QEMU_PLUGIN_H
#define TICKVM_LAB_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

/* What a plugin exports: the API version that it was written for, and its entry. */
QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
struct qemu_info;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
					   char **argv);

/* A translation block, and an instruction of one: valid while it is translated. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS = 0 };

/* Called for each block that is translated. */
typedef void qemu_plugin_tb_cb(uint64_t id, struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_tb_cb *callback);

/* Done before each execution of the instruction: an addition, a call. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *to, uint64_t value);
typedef void qemu_plugin_vcpu_cb(unsigned int vcpu, void *opaque);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_cb *callback,
					    enum qemu_plugin_cb_flags flags, void *opaque);

typedef void qemu_plugin_exit_cb(uint64_t id, void *opaque);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_plugin_exit_cb *callback, void *opaque);

/* To QEMU's log, which is stderr unless -D says otherwise. */
void qemu_plugin_outs(const char *text);

#endif
