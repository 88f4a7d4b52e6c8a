/*
 * What a CMOS clock (MC146818A) costs its guest while it is in userspace, and what
 * it would cost inside KVM: whether an in-kernel one would be worth its code.
 *
 * The in-kernel figures are those of ports that KVM serves already, ELCR1 and
 * ELCR2, in place of index and data. Under instruction counting a nanosecond is an
 * instruction, of guest, host kernel and VMM together.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tests/lab/kvm_series.h"

#define PORT_RTC     0x70
#define PORT_ELCR1   0x4d0
#define GSI_RTC	     8
#define TIMER_VECTOR 0x20
#define TIMES	     200

static void set_line(const struct vm *vm, unsigned int level)
{
	struct kvm_irq_level line = {.irq = GSI_RTC, .level = level};

	test_expect(!ioctl(vm->fd, KVM_IRQ_LINE, &line), "KVM_IRQ_LINE: %s", strerror(errno));
}

static void raise_interrupt(struct vm *vm)
{
	set_line(vm, 1);
	set_line(vm, 0);
}

static struct kvm_irqchip get_chip(const struct vm *vm, uint32_t id)
{
	struct kvm_irqchip chip = {.chip_id = id};

	test_expect(!ioctl(vm->fd, KVM_GET_IRQCHIP, &chip), "KVM_GET_IRQCHIP: %s", strerror(errno));
	return chip;
}

static void set_chip(const struct vm *vm, const struct kvm_irqchip *chip)
{
	test_expect(!ioctl(vm->fd, KVM_SET_IRQCHIP, chip), "KVM_SET_IRQCHIP: %s", strerror(errno));
}

/* IRQ 8, edge-triggered, goes to CPU 0 by the I/O APIC and not by the PIC. */
static void route_interrupt(const struct vm *vm)
{
	struct kvm_irqchip ioapic = get_chip(vm, KVM_IRQCHIP_IOAPIC);
	struct kvm_irqchip pic = get_chip(vm, KVM_IRQCHIP_PIC_MASTER);

	ioapic.chip.ioapic.redirtbl[GSI_RTC].bits = TIMER_VECTOR;
	pic.chip.pic.imr = 0xff;
	set_chip(vm, &ioapic);
	set_chip(vm, &pic);
}

/* Nanoseconds an operation, once warm. */
static uint64_t cost(const struct guest *guest, uint64_t port, void (*raise)(struct vm *vm))
{
	struct vm_input input = {.operations = TIMES, .port = port};
	uint64_t start_ns, cost_ns;
	struct vm vm;

	vm_open(&vm, 1, guest);
	route_interrupt(&vm);
	vm.raise = raise;
	vm_run(&vm, 0, input);
	start_ns = test_now_ns();
	vm_run(&vm, 0, input);
	cost_ns = (test_now_ns() - start_ns) / TIMES;
	vm_close(&vm, 1);
	return cost_ns;
}

/* What entering and leaving KVM by an ioctl takes: two calls of which IRQ 8 would not need. */
static uint64_t ioctl_cost(void)
{
	struct vm vm;
	uint64_t start_ns, cost_ns;

	vm_open(&vm, 0, GUEST(guest_rtc_time));
	start_ns = test_now_ns();
	for (int i = 0; i < TIMES; i++)
		ioctl(vm.fd, KVM_CHECK_EXTENSION, KVM_CAP_IRQCHIP);
	cost_ns = (test_now_ns() - start_ns) / TIMES;
	vm_close(&vm, 0);
	return cost_ns;
}

void rtc_cost(void)
{
	struct guest interrupt = {guest_rtc_interrupt, guest_rtc_interrupt_end,
				  guest_rtc_interrupt_handler};
	uint64_t idle = cost(&interrupt, PORT_RTC, NULL), ioctl_ns = ioctl_cost();
	uint64_t user = cost(&interrupt, PORT_RTC, raise_interrupt) - idle;
	uint64_t kernel = cost(&interrupt, PORT_ELCR1, raise_interrupt) - idle - 2 * ioctl_ns;

	printf("time read: userspace %llu ns, in-kernel %llu ns\n",
	       (unsigned long long)cost(GUEST(guest_rtc_time), PORT_RTC, NULL),
	       (unsigned long long)cost(GUEST(guest_rtc_time), PORT_ELCR1, NULL));
	printf("IRQ 8: userspace %llu ns, in-kernel %llu ns (an ioctl is %llu ns)\n",
	       (unsigned long long)user, (unsigned long long)kernel, (unsigned long long)ioctl_ns);
}
