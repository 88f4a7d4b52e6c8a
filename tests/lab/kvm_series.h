/*
 * The tests of the series in vmm/kvm/: what they share.
 *
 * A program of its own, on raw ioctls: it must run where nothing else of tickvm
 * does, and show an ioctl's own errors.
 */
#ifndef TICKVM_LAB_KVM_SERIES_H
#define TICKVM_LAB_KVM_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/kvm/uapi.h"

#define TEST_PORT  0x608
#define TEST_VCPUS 4

/* One test. It fails by test_fail(), at once. */
struct test {
	const char *name;
	int capability; /* without it the test is skipped */
	void (*run)(void);
};
extern const struct test pmtimer_tests[], pmtimer_time_tests[],
	halt_tests[]; /* closed by a NULL name */

/* Both print a TAP diagnostic; the first ends the test as failed. */
_Noreturn void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define test_expect(condition, ...)             \
	do {                                    \
		if (!(condition))               \
			test_fail(__VA_ARGS__); \
	} while (0)

int test_kvm(void); /* /dev/kvm */
uint64_t test_now_ns(void);

/* 64-bit code, from `start` on, and where in it the timer's interrupt handler is. */
struct guest {
	const uint8_t *start, *end, *interrupt;
};
extern const uint8_t guest_read4[], guest_read4_end[], guest_read4_string[],
	guest_read4_string_end[], guest_read1[], guest_read1_end[], guest_write4[],
	guest_write4_end[], guest_halt[], guest_halt_end[], guest_halt_interrupt[],
	guest_rtc_time[], guest_rtc_time_end[], guest_rtc_interrupt[], guest_rtc_interrupt_end[],
	guest_rtc_interrupt_handler[];
#define GUEST(name) (&(struct guest){name, name##_end, NULL})

struct vm {
	int fd;
	int vcpu[TEST_VCPUS];
	struct kvm_run *run[TEST_VCPUS];
	uint8_t *memory;
	void (*raise)(struct vm *vm); /* called when the guest asks for an interrupt */
};

/* A VM with an in-kernel irqchip and `vcpus` vCPUs that will run `guest`. */
void vm_open(struct vm *vm, unsigned int vcpus, const struct guest *guest);
void vm_close(struct vm *vm, unsigned int vcpus);
/* What a guest finds in its registers. */
struct vm_input {
	uint64_t operations; /* rcx */
	uint64_t port;	     /* rdx; 0: TEST_PORT */
	uint64_t rsi, rdi;
};
/* Runs the guest; gives the exits to userspace but its last. Reads there get 0. */
uint64_t vm_run(struct vm *vm, unsigned int vcpu, struct vm_input input);
/* Where the guest of a vCPU puts its samples. */
#define VM_SAMPLES_MAX 0x10000
uint64_t vm_samples_address(unsigned int vcpu);
const uint32_t *vm_samples(const struct vm *vm, unsigned int vcpu);
/* A statistic of the vCPU, by name. */
uint64_t vm_vcpu_stat(const struct vm *vm, unsigned int vcpu, const char *name);

/* The in-kernel PM timer at TEST_PORT; the last two fail the test when KVM refuses. */
struct kvm_pmtimer_config pmtimer_config(unsigned int width, int64_t offset_ns);
void pmtimer_create(const struct vm *vm, struct kvm_pmtimer_config *config);
void pmtimer_set(const struct vm *vm, struct kvm_pmtimer_config *config);

/* Not a test: prints what a CMOS clock costs in userspace, and what it would in KVM. */
void rtc_cost(void);

#endif
