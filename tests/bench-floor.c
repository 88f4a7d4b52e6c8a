/*
 * The floor of a boot: the bare KVM calls of one VM, and nothing else.
 *
 * Creates a VM, the in-kernel irqchip, 64 MiB of memory and one vCPU, runs one
 * instruction (an OUT that exits to userspace), closes all. `make bench` times
 * the whole process beside `tickvm run` of the hello app.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY_BYTES (64u << 20)
#define CODE_ADDRESS 0x1000

static int checked(int result, const char *what)
{
	if (result < 0)
		err(77, "%s", what);
	return result;
}

int main(void)
{
	static const uint8_t out_dx_al[] = {0xee};
	struct kvm_userspace_memory_region memory = {.memory_size = MEMORY_BYTES};
	struct kvm_regs regs = {.rip = CODE_ADDRESS, .rdx = 0xf4, .rflags = 2};
	struct kvm_sregs sregs;
	int kvm = checked(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	int vm = checked(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");

	checked(ioctl(vm, KVM_SET_TSS_ADDR, 0xfffbd000ul), "KVM_SET_TSS_ADDR");
	checked(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "KVM_CREATE_IRQCHIP");
	uint8_t *ram = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ram == MAP_FAILED)
		err(1, "mmap");
	memcpy(ram + CODE_ADDRESS, out_dx_al, sizeof(out_dx_al));
	memory.userspace_addr = (uintptr_t)ram;
	checked(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &memory), "KVM_SET_USER_MEMORY_REGION");

	int vcpu = checked(ioctl(vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	size_t run_size = (size_t)checked(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
					  "KVM_GET_VCPU_MMAP_SIZE");
	struct kvm_run *run = mmap(NULL, run_size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		err(1, "mmap of kvm_run");
	checked(ioctl(vcpu, KVM_GET_SREGS, &sregs), "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	checked(ioctl(vcpu, KVM_SET_SREGS, &sregs), "KVM_SET_SREGS");
	checked(ioctl(vcpu, KVM_SET_REGS, &regs), "KVM_SET_REGS");
	checked(ioctl(vcpu, KVM_RUN, 0), "KVM_RUN");
	if (run->exit_reason != KVM_EXIT_IO)
		errx(1, "exit reason %u instead of KVM_EXIT_IO", run->exit_reason);
	munmap(run, run_size);
	close(vcpu);
	close(vm);
	return 0;
}
