/*
 * A small VM for the series' tests: 16 MiB, identity-mapped, 64-bit, no devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/lab/kvm_series.h"

#define MEMORY_SIZE   (16u << 20)
#define GDT_ADDRESS   0x2000
#define IDT_ADDRESS   0x3000
#define PML4_ADDRESS  0x4000
#define PDPT_ADDRESS  0x5000
#define PD_ADDRESS    0x6000
#define STACK_ADDRESS 0x9000 /* of the first vCPU; a page each, growing down */
#define CODE_ADDRESS  0x10000
#define SAMPLES	      0x100000
#define TSS_ADDRESS   0xfffbd000ul /* three pages that Intel's KVM wants for itself */
#define TIMER_VECTOR  0x20
#define PORT_END      0xf4
#define PORT_RAISE    0xf0

#define CODE_SELECTOR 8
#define DATA_SELECTOR 16

static int kvm_fd = -1;

int test_kvm(void)
{
	if (kvm_fd < 0)
		kvm_fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	return kvm_fd;
}

uint64_t test_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int must(int result, const char *what)
{
	test_expect(result >= 0, "%s: %s", what, strerror(errno));
	return result;
}

static void put64(struct vm *vm, uint64_t address, uint64_t value)
{
	memcpy(vm->memory + address, &value, sizeof(value));
}

static void write_gate(struct vm *vm, unsigned int vector, uint64_t handler)
{
	uint64_t gate = IDT_ADDRESS + vector * 16;

	put64(vm, gate,
	      (handler & 0xffff) | CODE_SELECTOR << 16 | 0x8e00ull << 32 |
		      (handler >> 16 & 0xffff) << 48);
	put64(vm, gate + 8, handler >> 32);
}

static void write_tables(struct vm *vm, const struct guest *guest)
{
	put64(vm, PML4_ADDRESS, PDPT_ADDRESS | 3);
	put64(vm, PDPT_ADDRESS, PD_ADDRESS | 3);
	for (uint64_t i = 0; i < MEMORY_SIZE >> 21; i++)
		put64(vm, PD_ADDRESS + i * 8, i << 21 | 0x83);
	put64(vm, GDT_ADDRESS + CODE_SELECTOR, 0x00af9b000000ffff);
	put64(vm, GDT_ADDRESS + DATA_SELECTOR, 0x00cf93000000ffff);
	if (guest->interrupt)
		write_gate(vm, TIMER_VECTOR,
			   CODE_ADDRESS + (uint64_t)(guest->interrupt - guest->start));
	memcpy(vm->memory + CODE_ADDRESS, guest->start, (size_t)(guest->end - guest->start));
}

static void set_long_mode(int vcpu)
{
	struct kvm_segment code = {.selector = CODE_SELECTOR,
				   .limit = ~0u,
				   .type = 11,
				   .present = 1,
				   .s = 1,
				   .l = 1,
				   .g = 1};
	struct kvm_segment data = {.selector = DATA_SELECTOR,
				   .limit = ~0u,
				   .type = 3,
				   .present = 1,
				   .s = 1,
				   .db = 1,
				   .g = 1};
	struct kvm_sregs s;

	must(ioctl(vcpu, KVM_GET_SREGS, &s), "KVM_GET_SREGS");
	s.cs = code;
	s.ds = s.es = s.fs = s.gs = s.ss = data;
	s.gdt.base = GDT_ADDRESS;
	s.gdt.limit = 23;
	s.idt.base = IDT_ADDRESS;
	s.idt.limit = (TIMER_VECTOR + 1) * 16 - 1;
	s.cr0 = 0x80000011;
	s.cr3 = PML4_ADDRESS;
	s.cr4 = 0x20;
	s.efer = 0x500;
	must(ioctl(vcpu, KVM_SET_SREGS, &s), "KVM_SET_SREGS");
}

/* What KVM supports, and the TSC deadline, which it emulates but leaves to the VMM to offer. */
static void set_cpuid(int vcpu)
{
	enum { ENTRIES = 128 };
	struct kvm_cpuid2 *cpuid = calloc(1, sizeof(*cpuid) + ENTRIES * sizeof(cpuid->entries[0]));

	test_expect(cpuid, "no memory");
	cpuid->nent = ENTRIES;
	must(ioctl(test_kvm(), KVM_GET_SUPPORTED_CPUID, cpuid), "KVM_GET_SUPPORTED_CPUID");
	for (unsigned int i = 0; i < cpuid->nent; i++) {
		if (cpuid->entries[i].function == 1)
			cpuid->entries[i].ecx |= 1u << 24;
	}
	must(ioctl(vcpu, KVM_SET_CPUID2, cpuid), "KVM_SET_CPUID2");
	free(cpuid);
}

static size_t run_size(void)
{
	return (size_t)must(ioctl(test_kvm(), KVM_GET_VCPU_MMAP_SIZE, NULL), "mmap size");
}

/* All vCPUs start at once where they are told to: none waits for a SIPI. */
static void open_vcpu(struct vm *vm, unsigned int i)
{
	struct kvm_mp_state runnable = {.mp_state = KVM_MP_STATE_RUNNABLE};

	vm->vcpu[i] = must(ioctl(vm->fd, KVM_CREATE_VCPU, i), "KVM_CREATE_VCPU");
	vm->run[i] = mmap(NULL, run_size(), PROT_READ | PROT_WRITE, MAP_SHARED, vm->vcpu[i], 0);
	test_expect(vm->run[i] != MAP_FAILED, "mmap of kvm_run: %s", strerror(errno));
	set_cpuid(vm->vcpu[i]);
	set_long_mode(vm->vcpu[i]);
	must(ioctl(vm->vcpu[i], KVM_SET_MP_STATE, &runnable), "KVM_SET_MP_STATE");
}

void vm_open(struct vm *vm, unsigned int vcpus, const struct guest *guest)
{
	struct kvm_userspace_memory_region region = {.memory_size = MEMORY_SIZE};

	*vm = (struct vm){.fd = must(ioctl(test_kvm(), KVM_CREATE_VM, 0), "KVM_CREATE_VM")};
	must(ioctl(vm->fd, KVM_SET_TSS_ADDR, TSS_ADDRESS), "KVM_SET_TSS_ADDR");
	must(ioctl(vm->fd, KVM_CREATE_IRQCHIP, NULL), "KVM_CREATE_IRQCHIP");
	vm->memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	test_expect(vm->memory != MAP_FAILED, "mmap of memory: %s", strerror(errno));
	region.userspace_addr = (uintptr_t)vm->memory;
	must(ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
	write_tables(vm, guest);
	for (unsigned int i = 0; i < vcpus; i++)
		open_vcpu(vm, i);
}

void vm_close(struct vm *vm, unsigned int vcpus)
{
	for (unsigned int i = 0; i < vcpus; i++) {
		munmap(vm->run[i], run_size());
		close(vm->vcpu[i]);
	}
	close(vm->fd);
	munmap(vm->memory, MEMORY_SIZE);
}

static void answer(struct vm *vm, struct kvm_run *run)
{
	if (run->io.direction == KVM_EXIT_IO_IN)
		memset((uint8_t *)run + run->io.data_offset, 0,
		       (size_t)run->io.size * run->io.count);
	else if (run->io.port == PORT_RAISE && vm->raise)
		vm->raise(vm);
}

uint64_t vm_run(struct vm *vm, unsigned int vcpu, struct vm_input input)
{
	struct kvm_run *run = vm->run[vcpu];
	struct kvm_regs regs = {
		.rip = CODE_ADDRESS,
		.rflags = 2,
		.rcx = input.operations,
		.rdx = input.port ? input.port : TEST_PORT,
		.rsi = input.rsi,
		.rdi = input.rdi,
		.rsp = STACK_ADDRESS + vcpu * 0x1000,
	};
	uint64_t exits = 0;

	must(ioctl(vm->vcpu[vcpu], KVM_SET_REGS, &regs), "KVM_SET_REGS");
	for (;;) {
		if (ioctl(vm->vcpu[vcpu], KVM_RUN, NULL) < 0) {
			test_expect(errno == EINTR, "KVM_RUN: %s", strerror(errno));
			continue;
		}
		test_expect(run->exit_reason == KVM_EXIT_IO, "exit reason %u", run->exit_reason);
		if (run->io.port == PORT_END)
			return exits;
		answer(vm, run);
		exits++;
	}
}

uint64_t vm_samples_address(unsigned int vcpu)
{
	return SAMPLES + (uint64_t)vcpu * VM_SAMPLES_MAX * sizeof(uint32_t);
}

const uint32_t *vm_samples(const struct vm *vm, unsigned int vcpu)
{
	return (const uint32_t *)(vm->memory + vm_samples_address(vcpu));
}

uint64_t vm_vcpu_stat(const struct vm *vm, unsigned int vcpu, const char *name)
{
	struct kvm_stats_header header;
	int fd = must(ioctl(vm->vcpu[vcpu], KVM_GET_STATS_FD, NULL), "KVM_GET_STATS_FD");
	size_t stride;
	uint64_t value;
	bool found = false;

	must((int)pread(fd, &header, sizeof(header), 0), "statistics header");
	stride = sizeof(struct kvm_stats_desc) + header.name_size;
	for (unsigned int i = 0; i < header.num_desc && !found; i++) {
		_Alignas(struct kvm_stats_desc) char descriptor[512];
		const struct kvm_stats_desc *d = (const void *)descriptor;

		test_expect(stride <= sizeof(descriptor), "statistics names of %u bytes",
			    header.name_size);
		must((int)pread(fd, descriptor, stride, (off_t)(header.desc_offset + i * stride)),
		     "statistics descriptor");
		if (strcmp(d->name, name))
			continue;
		must((int)pread(fd, &value, sizeof(value), (off_t)(header.data_offset + d->offset)),
		     "statistic");
		found = true;
	}
	close(fd);
	test_expect(found, "no statistic %s", name);
	return value;
}
