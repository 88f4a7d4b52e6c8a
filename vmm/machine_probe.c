/* What runs the guest's ring 0: see machine_probe.h. */
#include "machine_probe.h"

#include <errno.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../kernel/abi.h"
#include "config.h"
#include "error.h"
#include "loader/loader.h"
#include "machine.h"

#define CODE_BASE 0x1000
#define NOPS	  64
#define NOP	  0x90

/* The port write ends the probe: it is always userspace's to serve. */
static void write_code(uint8_t *code)
{
	const uint8_t out_to_unused[] = {0xe6, 0x80}; /* out %al, $0x80 */

	memset(code, NOP, NOPS);
	memcpy(code + NOPS, out_to_unused, sizeof(out_to_unused));
}

static int run_to_port(const struct vcpu *vcpu, struct error *e)
{
	int result;

	do {
		result = ioctl(vcpu->fd, KVM_RUN, 0);
	} while (result && errno == EINTR);
	if (result)
		return error_set(e, TK_EXIT_SKIPPED, "KVM_RUN: %s", strerror(errno));
	if (vcpu->run->exit_reason != KVM_EXIT_IO)
		return error_set(e, TK_EXIT_SKIPPED, "the probe ended by exit reason %u",
				 vcpu->run->exit_reason);
	return 0;
}

static int run_probe(struct machine *machine, struct machine_probe *probe, struct error *e)
{
	const struct boot_entry entry = {.eip = CODE_BASE};
	uint64_t offset = kvm_stats_find(&machine->vcpu_stats, "insn_emulation");
	struct vcpu *vcpu = &machine->vcpus[0];

	if (!offset)
		return error_set(e, TK_EXIT_SKIPPED, "KVM does not count emulated instructions");
	write_code(machine->ram.host + CODE_BASE);
	if (vcpu_set_entry(vcpu, &entry, e) || run_to_port(vcpu, e))
		return -1;
	probe->instructions = NOPS + 1;
	probe->emulated = kvm_stats_value(vcpu->stats_fd, offset);
	return 0;
}

int machine_probe(struct machine_probe *probe, struct error *e)
{
	static struct machine machine; /* too large for a stack */
	const struct config config = {
		.cpus = 1, .mem_bytes = UINT64_C(2) << 20, .pin = {-1}, .irqchip = IRQCHIP_SPLIT};
	/* No record: nothing of it is a run's. */
	int result = machine_create(&machine, &config, NULL, e);

	if (result == 0)
		result = run_probe(&machine, probe, e);
	machine_destroy(&machine);
	return result;
}
