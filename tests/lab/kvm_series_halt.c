/*
 * KVM_CAP_HALT_POLL_TIMER: polling for the timer that will end the halt.
 *
 * Judged by KVM's own counts of halts, never by time.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tests/lab/kvm_series.h"

#define HALTS	     200
#define ONE_SHOT     0
#define TSC_DEADLINE 0x40000
#define US	     1000u

/* KVM's counts of a run's halts. */
struct halts {
	uint64_t attempted, successful, timer_attempted, timer_successful;
};

static int enable(int vm_fd, unsigned int capability, uint64_t value)
{
	struct kvm_enable_cap cap = {.cap = capability, .args = {value}};

	return ioctl(vm_fd, KVM_ENABLE_CAP, &cap);
}

static void must_enable(const struct vm *vm, unsigned int capability, uint64_t value)
{
	test_expect(!enable(vm->fd, capability, value), "KVM_ENABLE_CAP %u: %s", capability,
		    strerror(errno));
}

static void open_halting(struct vm *vm)
{
	struct guest guest = {guest_halt, guest_halt_end, guest_halt_interrupt};

	vm_open(vm, 1, &guest);
}

/* The guest's TSC ticks in so many nanoseconds; the APIC bus has one a nanosecond. */
static uint64_t timer_ticks(const struct vm *vm, uint32_t mode, uint64_t ns)
{
	int tsc_khz = ioctl(vm->vcpu[0], KVM_GET_TSC_KHZ, NULL);

	test_expect(tsc_khz > 0, "KVM_GET_TSC_KHZ: %s", strerror(errno));
	return mode == TSC_DEADLINE ? ns * (uint64_t)tsc_khz / 1000000 : ns;
}

static void print_halts(const struct halts *h, uint64_t ns, uint64_t bound_ns, uint64_t run_ns)
{
	test_note("%d halts of %llu us, bound %llu us: polled %llu, to the end %llu; for the timer "
		  "%llu, %llu; each %lld ns late on average",
		  HALTS, (unsigned long long)ns / US, (unsigned long long)bound_ns / US,
		  (unsigned long long)h->attempted, (unsigned long long)h->successful,
		  (unsigned long long)h->timer_attempted, (unsigned long long)h->timer_successful,
		  (long long)(run_ns / HALTS - ns));
}

/* A VM halts HALTS times for `ns`; window_ns < 0 leaves the host's adaptive window. */
static struct halts halt(uint32_t mode, uint64_t ns, uint64_t bound_ns, int64_t window_ns)
{
	struct vm_input input = {.operations = HALTS, .rdi = mode};
	uint64_t start_ns, run_ns;
	struct halts h;
	struct vm vm;

	open_halting(&vm);
	if (window_ns >= 0)
		must_enable(&vm, KVM_CAP_HALT_POLL, (uint64_t)window_ns);
	must_enable(&vm, KVM_CAP_HALT_POLL_TIMER, bound_ns);
	input.rsi = timer_ticks(&vm, mode, ns);
	start_ns = test_now_ns();
	vm_run(&vm, 0, input);
	run_ns = test_now_ns() - start_ns;
	h = (struct halts){
		vm_vcpu_stat(&vm, 0, "halt_attempted_poll"),
		vm_vcpu_stat(&vm, 0, "halt_successful_poll"),
		vm_vcpu_stat(&vm, 0, KVM_STAT_HALT_POLL_TIMER_ATTEMPTED),
		vm_vcpu_stat(&vm, 0, KVM_STAT_HALT_POLL_TIMER_SUCCESSFUL),
	};
	vm_close(&vm, 1);
	print_halts(&h, ns, bound_ns, run_ns);
	return h;
}

static void test_bad_arguments(void)
{
	struct kvm_enable_cap cap = {.cap = KVM_CAP_HALT_POLL_TIMER, .flags = 1};
	struct vm vm;

	open_halting(&vm);
	test_expect(ioctl(vm.fd, KVM_ENABLE_CAP, &cap) < 0 && errno == EINVAL, "flags");
	test_expect(enable(vm.fd, cap.cap, 1ull << 32) < 0 && errno == EINVAL, "33 bits");
	cap.flags = 0;
	for (int i = 1; i < 4; i++) {
		memset(cap.args, 0, sizeof(cap.args));
		cap.args[i] = 1;
		test_expect(ioctl(vm.fd, KVM_ENABLE_CAP, &cap) < 0 && errno == EINVAL, "args[%d]",
			    i);
	}
	must_enable(&vm, cap.cap, UINT32_MAX);
	must_enable(&vm, cap.cap, 0);
	vm_close(&vm, 1);
}

/* With no adaptive window at all, what succeeds is this polling's doing. */
static void expect_polled(uint32_t mode)
{
	struct halts off = halt(mode, 1000 * US, 0, 0), h = halt(mode, 1000 * US, 2000 * US, 0);

	test_expect(!off.attempted && !off.timer_attempted, "polled without a bound");
	test_expect(h.timer_attempted >= HALTS, "not every halt was polled");
	test_expect(h.timer_successful * 100 >= h.timer_attempted * 95, "under 95 %% succeeded");
	test_expect(h.attempted == h.timer_attempted && h.successful == h.timer_successful,
		    "the two pairs of counters differ");
}

static void test_inside_one_shot(void)
{
	expect_polled(ONE_SHOT);
}

static void test_inside_deadline(void)
{
	expect_polled(TSC_DEADLINE);
}

/* A deadline past the bound, and no bound: the same counts, with and without a window. */
static void test_outside(void)
{
	for (int64_t window_ns = -1; window_ns <= 0; window_ns++) {
		struct halts off = halt(ONE_SHOT, 5000 * US, 0, window_ns);
		struct halts outside = halt(ONE_SHOT, 5000 * US, 2000 * US, window_ns);

		test_expect(!memcmp(&off, &outside, sizeof(off)), "the counts differ");
		test_expect(!outside.timer_attempted, "polled for a timer past the bound");
	}
}

static void *spin(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

/* Polling must yield to a task that wants the CPU. */
static void test_yields(void)
{
	cpu_set_t first_cpu;
	pthread_t thread;
	bool stop = false;
	struct halts h;

	CPU_ZERO(&first_cpu);
	CPU_SET(0, &first_cpu);
	test_expect(!sched_setaffinity(0, sizeof(first_cpu), &first_cpu), "affinity: %s",
		    strerror(errno));
	test_expect(!pthread_create(&thread, NULL, spin, &stop), "no thread");
	h = halt(ONE_SHOT, 1000 * US, 2000 * US, 0);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	test_expect(h.timer_attempted && h.timer_successful * 2 < h.timer_attempted,
		    "polled on beside another task");
}

const struct test halt_tests[] = {
	{"halt-poll: bad arguments are refused", KVM_CAP_HALT_POLL_TIMER, test_bad_arguments},
	{"halt-poll: one-shot timer inside the bound", KVM_CAP_HALT_POLL_TIMER,
	 test_inside_one_shot},
	{"halt-poll: TSC deadline inside the bound", KVM_CAP_HALT_POLL_TIMER, test_inside_deadline},
	{"halt-poll: outside the bound as without it", KVM_CAP_HALT_POLL_TIMER, test_outside},
	{"halt-poll: ends when a task wants the CPU", KVM_CAP_HALT_POLL_TIMER, test_yields},
	{NULL, 0, NULL},
};
