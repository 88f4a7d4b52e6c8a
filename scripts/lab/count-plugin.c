/*
 * A TCG plugin for QEMU that counts, exactly, every instruction that the emulated
 * machine executes in each phase, by its virtual address.
 *
 *   -plugin count-plugin.so,out=FILE,begin=ADDRESS,end=ADDRESS
 *
 * Each translated instruction gets an inline addition to the counter of its address.
 * A block can be left in its midst, by a fault or an access to a device, so that
 * counting blocks would not be exact. A phase is what runs between the execution of
 * the instruction at `begin` and that of the next one at `end`: two empty functions of
 * the VMM, which calls them where the guest begins and ends a phase. Both are
 * synchronous with the program, so that two runs of the same program give the same
 * counts. The emulator must run all vCPUs on one thread, as -icount does.
 *
 * FILE, text, numbers decimal but addresses:
 *   tickvm-counts 1
 *   phase INDEX
 *   HEX-ADDRESS COUNT      each address that ran in the phase
 *   end PHASES             only when the emulator left in good order
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qemu-plugin.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;

/* Far more addresses than L1 runs in a minute; pages that are not used cost nothing. */
#define COUNTERS_MAX (1u << 22)
#define INDEX_SLOTS  (2 * COUNTERS_MAX)

/* The emulator's code adds to `count` where it lies: a counter never moves. */
struct counter {
	uint64_t address;
	uint64_t count;
	uint64_t at_begin; /* `count` when the phase began */
};

static struct {
	struct counter *counters; /* in the order in which addresses were first translated */
	uint32_t counter_count;
	uint32_t *index; /* hash table by address: index into counters + 1; 0: free */
	uint64_t begin, end;
	FILE *out;
	unsigned phases;
	int in_phase;
} plugin;

static void die(const char *what)
{
	fprintf(stderr, "count-plugin: %s\n", what);
	exit(1);
}

static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		die("no address space for the counters");
	return memory;
}

static struct counter *add_counter(uint32_t *slot, uint64_t address)
{
	struct counter *counter = &plugin.counters[plugin.counter_count];

	if (plugin.counter_count == COUNTERS_MAX)
		die("more addresses than counters");
	counter->address = address;
	*slot = ++plugin.counter_count;
	return counter;
}

static struct counter *counter_of(uint64_t address)
{
	/* Fibonacci hashing: the upper bits of the product are well mixed. */
	uint32_t slot = (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % INDEX_SLOTS;

	while (plugin.index[slot]) {
		struct counter *counter = &plugin.counters[plugin.index[slot] - 1];

		if (counter->address == address)
			return counter;
		slot = (slot + 1) % INDEX_SLOTS;
	}
	return add_counter(&plugin.index[slot], address);
}

static void begin_phase(unsigned vcpu, void *opaque)
{
	for (uint32_t i = 0; i < plugin.counter_count; i++)
		plugin.counters[i].at_begin = plugin.counters[i].count;
	plugin.in_phase = 1;
}

/* Counters that were added meanwhile began at 0, and `at_begin` is 0. */
static void end_phase(unsigned vcpu, void *opaque)
{
	if (!plugin.in_phase)
		return;
	fprintf(plugin.out, "phase %u\n", plugin.phases++);
	for (uint32_t i = 0; i < plugin.counter_count; i++) {
		const struct counter *counter = &plugin.counters[i];

		if (counter->count != counter->at_begin)
			fprintf(plugin.out, "%" PRIx64 " %" PRIu64 "\n", counter->address,
				counter->count - counter->at_begin);
	}
	plugin.in_phase = 0;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &counter_of(address)->count, 1);
		if (address == plugin.begin)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_phase,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (address == plugin.end)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end_phase,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

static void finish(uint64_t id, void *opaque)
{
	fprintf(plugin.out, "end %u\n", plugin.phases);
	if (fclose(plugin.out))
		fprintf(stderr, "count-plugin: the counts could not be written\n");
}

static void take_argument(const char *argument)
{
	if (!strncmp(argument, "begin=", 6))
		plugin.begin = strtoull(argument + 6, NULL, 0);
	else if (!strncmp(argument, "end=", 4))
		plugin.end = strtoull(argument + 4, NULL, 0);
	else if (!strncmp(argument, "out=", 4))
		plugin.out = fopen(argument + 4, "w");
	else
		die("arguments are out=FILE, begin=ADDRESS and end=ADDRESS");
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		take_argument(argv[i]);
	if (!plugin.out || !plugin.begin || !plugin.end)
		die("needs out=FILE that can be written, begin=ADDRESS and end=ADDRESS");
	plugin.counters = reserve(COUNTERS_MAX * sizeof(*plugin.counters));
	plugin.index = reserve(INDEX_SLOTS * sizeof(*plugin.index));
	fprintf(plugin.out, "tickvm-counts 1\n");
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
