/*
 * The guest's TSC against the host's (SDM vol. 3 § 26.3, "TSC offsetting"): KVM says
 * by how much it is ahead, and the guest is asked whether that is so. An interpreting
 * KVM has offsets that it takes and does not use; one that scales has no offset.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../kernel/abi.h"
#include "error.h"
#include "loader/loader.h"
#include "machine.h"

/* RDTSC into EDX:EAX, and out to a port that nobody has. */
static const uint8_t rdtsc_and_out[] = {0x0f, 0x31, 0xe6, 0x80};

static int stated_offset(const struct vcpu *vcpu, uint64_t *offset)
{
	struct kvm_device_attr attr = {
		.group = KVM_VCPU_TSC_CTRL, .attr = KVM_VCPU_TSC_OFFSET, .addr = (uintptr_t)offset};

	return ioctl(vcpu->fd, KVM_GET_DEVICE_ATTR, &attr);
}

static int run_until_exit(const struct vcpu *vcpu)
{
	int result;

	do {
		result = ioctl(vcpu->fd, KVM_RUN, 0);
	} while (result && errno == EINTR);
	return result;
}

/* Lets KVM finish the port write, so that nothing of it is left for the next entry. */
static void complete_exit(const struct vcpu *vcpu)
{
	vcpu->run->immediate_exit = 1;
	ioctl(vcpu->fd, KVM_RUN, 0);
	vcpu->run->immediate_exit = 0;
}

static int read_guest_tsc(struct vcpu *vcpu, uint64_t code_address, uint64_t *tsc, struct error *e)
{
	const struct boot_entry entry = {.eip = (uint32_t)code_address};
	struct kvm_regs regs;

	if (vcpu_set_entry(vcpu, &entry, e))
		return -1;
	if (run_until_exit(vcpu) || vcpu->run->exit_reason != KVM_EXIT_IO)
		return error_set(e, TK_EXIT_SKIPPED,
				 "the guest's TSC cannot be read: exit reason %u",
				 vcpu->run->exit_reason);
	complete_exit(vcpu);
	if (ioctl(vcpu->fd, KVM_GET_REGS, &regs))
		return error_set(e, TK_EXIT_SKIPPED, "KVM_GET_REGS: %s", strerror(errno));
	*tsc = regs.rdx << 32 | (uint32_t)regs.rax;
	return 0;
}

/* All vCPUs were created with the same offset, or the page would suit one of them only. */
static int check_others(const struct machine *machine, uint64_t offset, struct error *e)
{
	for (unsigned i = 1; i < machine->vcpu_count; i++) {
		uint64_t other;

		if (stated_offset(&machine->vcpus[i], &other) || other != offset)
			return error_set(e, TK_EXIT_SKIPPED,
					 "the TSC of CPU %u is not that of CPU 0", i);
	}
	return 0;
}

int machine_tsc_offset(const struct machine *machine, uint64_t code_address, uint8_t *code,
		       uint64_t *offset, struct error *e)
{
	struct vcpu *vcpu = &machine->vcpus[0];
	uint64_t before, span, tsc = 0;

	memcpy(code, rdtsc_and_out, sizeof(rdtsc_and_out));
	before = host_tsc();
	if (read_guest_tsc(vcpu, code_address, &tsc, e))
		return -1;
	span = host_tsc() - before;
	if (stated_offset(vcpu, offset) == 0 && tsc - *offset - before < span)
		return check_others(machine, *offset, e);
	*offset = 0;
	if (tsc - before < span)
		return 0;
	return error_set(e, TK_EXIT_SKIPPED,
			 "the guest's TSC is not the host's and a constant: %" PRIu64
			 " between %" PRIu64 " and %" PRIu64,
			 tsc, before, before + span);
}
