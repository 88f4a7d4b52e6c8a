/*
 * Exits that a guest cannot go on after: triple fault, internal error, failed
 * entry and all that this VMM has no handler for. Each ends the run with one line.
 */
#include <capstone/capstone.h>
#include <inttypes.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "machine.h"
#include "vcpu.h"

#define INSTRUCTION_MAX 15

struct instruction {
	uint8_t bytes[INSTRUCTION_MAX];
	unsigned size; /* 0: not known */
};

/* Bytes at the instruction pointer, through the guest's page tables, within its page. */
static void fetch(const struct vcpu *vcpu, uint64_t linear, struct instruction *instruction)
{
	struct kvm_translation translation = {.linear_address = linear};
	unsigned size = INSTRUCTION_MAX, in_page = 4096 - (linear & 4095);
	const uint8_t *bytes;

	instruction->size = 0;
	if (ioctl(vcpu->fd, KVM_TRANSLATE, &translation) || !translation.valid)
		return;
	if (size > in_page)
		size = in_page;
	bytes = ram_at(&vcpu->machine->ram, translation.physical_address, size);
	if (!bytes)
		return;
	memcpy(instruction->bytes, bytes, size);
	instruction->size = size;
}

/* KVM hands the bytes over that its emulator failed at, if it got that far. */
static bool given_by_kvm(const struct kvm_run *run, struct instruction *instruction)
{
	const __typeof__(run->emulation_failure) *failure = &run->emulation_failure;

	if (failure->suberror != KVM_INTERNAL_ERROR_EMULATION || failure->ndata < 3 ||
	    !(failure->flags & KVM_INTERNAL_ERROR_EMULATION_FLAG_INSTRUCTION_BYTES) ||
	    failure->insn_size == 0 || failure->insn_size > INSTRUCTION_MAX)
		return false;
	instruction->size = failure->insn_size;
	memcpy(instruction->bytes, failure->insn_bytes, failure->insn_size);
	return true;
}

static cs_mode code_mode(const struct kvm_segment *cs)
{
	if (cs->l)
		return CS_MODE_64;
	return cs->db ? CS_MODE_32 : CS_MODE_16;
}

/* "0f 01 d0 xgetbv", or the bytes alone where they are no instruction. */
static void disassemble(const struct instruction *instruction, cs_mode mode, uint64_t rip,
			char *text, size_t size)
{
	unsigned length = instruction->size, used = 0;
	cs_insn *decoded = NULL;
	size_t count = 0;
	csh handle = 0;

	if (cs_open(CS_ARCH_X86, mode, &handle) == CS_ERR_OK) {
		count = cs_disasm(handle, instruction->bytes, length, rip, 1, &decoded);
		if (count)
			length = decoded->size;
	}
	for (unsigned i = 0; i < length && used < size; i++)
		used += (unsigned)snprintf(text + used, size - used, "%02x ",
					   instruction->bytes[i]);
	if (count && used < size)
		snprintf(text + used, size - used, "%s %s", decoded->mnemonic, decoded->op_str);
	if (!instruction->size)
		snprintf(text, size, "bytes unknown");
	if (decoded)
		cs_free(decoded, count);
	cs_close(&handle);
}

static const char *suberror_name(uint32_t suberror)
{
	switch (suberror) {
	case KVM_INTERNAL_ERROR_EMULATION:
		return "instruction not emulated";
	case KVM_INTERNAL_ERROR_SIMUL_EX:
		return "simultaneous exceptions";
	case KVM_INTERNAL_ERROR_DELIVERY_EV:
		return "exit while delivering an event";
	case KVM_INTERNAL_ERROR_UNEXPECTED_EXIT_REASON:
		return "unexpected exit reason";
	default:
		return "unknown kind";
	}
}

static void end_by_internal_error(struct vcpu *vcpu, const struct kvm_regs *regs,
				  const struct kvm_sregs *sregs)
{
	uint32_t suberror = vcpu->run->internal.suberror;
	struct instruction instruction = {.size = 0};
	char text[224]; /* 15 bytes, mnemonic and operands as capstone bounds them */

	if (!given_by_kvm(vcpu->run, &instruction))
		fetch(vcpu, sregs->cs.base + regs->rip, &instruction);
	disassemble(&instruction, code_mode(&sregs->cs), regs->rip, text, sizeof(text));
	machine_end(vcpu->machine, END_INTERNAL_ERROR, -1,
		    "KVM internal error %u (%s) on CPU %u at %#llx: %s", suberror,
		    suberror_name(suberror), vcpu->index, regs->rip, text);
}

void vcpu_end_by_fault(struct vcpu *vcpu)
{
	struct machine *machine = vcpu->machine;
	const struct kvm_run *run = vcpu->run;
	struct kvm_regs regs = {0};
	struct kvm_sregs sregs = {0};

	ioctl(vcpu->fd, KVM_GET_REGS, &regs);
	ioctl(vcpu->fd, KVM_GET_SREGS, &sregs);
	switch (run->exit_reason) {
	case KVM_EXIT_SHUTDOWN:
		machine_end(machine, END_TRIPLE_FAULT, -1,
			    "triple fault on CPU %u: RIP %#llx, CR2 %#llx, CR3 %#llx", vcpu->index,
			    regs.rip, sregs.cr2, sregs.cr3);
		break;
	case KVM_EXIT_INTERNAL_ERROR:
		end_by_internal_error(vcpu, &regs, &sregs);
		break;
	case KVM_EXIT_FAIL_ENTRY:
		machine_end(machine, END_INTERNAL_ERROR, -1,
			    "the CPU refused to enter the guest on CPU %u at %#llx: reason %#llx",
			    vcpu->index, regs.rip, run->fail_entry.hardware_entry_failure_reason);
		break;
	case KVM_EXIT_SYSTEM_EVENT:
		machine_end(machine, END_INTERNAL_ERROR, -1, "KVM system event %u on CPU %u",
			    run->system_event.type, vcpu->index);
		break;
	default:
		machine_end(machine, END_INTERNAL_ERROR, -1,
			    "KVM exit reason %u on CPU %u at %#llx: none that this VMM serves",
			    run->exit_reason, vcpu->index, regs.rip);
	}
}
