/*
 * What the in-kernel ACPI PM timer counts: always the host's CLOCK_MONOTONIC.
 *
 * Time is never judged by itself: a sample must lie between what the host's own
 * clock said before and after it.
 */
#include <pthread.h>
#include <unistd.h>

#include "tests/lab/kvm_series.h"

#define HZ    3579545ull
#define BATCH 500u

static uint32_t mask(unsigned int width)
{
	return width == 32 ? ~0u : (1u << width) - 1;
}

/* What the timer must say, by arithmetic that is wide enough for any time. */
static uint32_t count(uint64_t host_ns, const struct kvm_pmtimer_config *c)
{
	unsigned __int128 ns = (uint64_t)((int64_t)host_ns + c->offset_ns);

	return (uint32_t)(ns * HZ / 1000000000) & mask(c->width);
}

/* Samples of one run of a guest lie in order between the host's times around it. */
static uint64_t run_bracketed(struct vm *vm, const struct kvm_pmtimer_config *c, unsigned int n)
{
	const uint32_t *s = vm_samples(vm, 0), m = mask(c->width);
	uint32_t last, wraps = 0, first = count(test_now_ns(), c);
	uint64_t exits = vm_run(vm, 0,
				(struct vm_input){.operations = n, .rdi = vm_samples_address(0)});

	last = (count(test_now_ns(), c) - first) & m;
	for (unsigned int i = 0, previous = first; i < n; previous = s[i++]) {
		test_expect(!(s[i] & ~m), "sample %#x is wider than %u bits", s[i], c->width);
		test_expect(((s[i] - first) & m) >= ((previous - first) & m),
			    "sample %u goes back from %#x to %#x", i, previous, s[i]);
		test_expect(((s[i] - first) & m) <= last, "sample %u is outside the bracket", i);
		wraps += s[i] < previous;
	}
	test_expect(!exits, "%llu reads went to userspace", (unsigned long long)exits);
	return wraps;
}

static void run_offset(unsigned int width, int64_t offset_ns)
{
	struct kvm_pmtimer_config c = pmtimer_config(width, offset_ns);
	struct vm vm;

	vm_open(&vm, 1, GUEST(guest_read4));
	pmtimer_create(&vm, &c);
	for (int i = 0; i < 10; i++)
		run_bracketed(&vm, &c, i < 5 ? 1 : BATCH);
	vm_close(&vm, 1);
}

/* From the first tick to 285 years on: no tick is lost, and nothing overflows. */
static void test_bracket(void)
{
	int64_t now = (int64_t)test_now_ns();

	for (unsigned int width = 24; width <= 32; width += 8) {
		run_offset(width, 0);
		run_offset(width, -now);
		run_offset(width, 9000000000000000000 - now);
	}
}

/* Sets the timer to shortly before its end, and reads until it is well past it. */
static void wrap_once(unsigned int width)
{
	const uint64_t ahead_ns = 3000000;
	uint64_t end, wraps = 0, period_ns = (uint64_t)(((__int128)1 << width) * 1000000000 / HZ);
	struct kvm_pmtimer_config c = pmtimer_config(width, 0);
	struct vm vm;

	vm_open(&vm, 1, GUEST(guest_read4));
	pmtimer_create(&vm, &c);
	end = test_now_ns() + ahead_ns;
	c.offset_ns = (int64_t)(period_ns - end % period_ns);
	pmtimer_set(&vm, &c);
	while (test_now_ns() < end + ahead_ns)
		wraps += run_bracketed(&vm, &c, BATCH);
	test_expect(wraps == 1, "%llu wraps at %u bits", (unsigned long long)wraps, width);
	vm_close(&vm, 1);
}

static void test_wrap_24(void)
{
	wrap_once(24);
}

static void test_wrap_32(void)
{
	wrap_once(32);
}

/* Four vCPUs read while a fifth thread goes to and fro between two offsets. */
struct reader {
	struct vm *vm;
	unsigned int vcpu;
	const struct kvm_pmtimer_config *offsets;
	const bool *stop;
	uint64_t reads, seen[2], neither;
};

/* Offsets that differ in both halves: half of one with half of the other is 4 s off. */
static const int64_t test_offsets[2] = {0, (40ll << 32) + 0xf0000000};

static void classify(struct reader *r, uint64_t from_ns, uint64_t to_ns)
{
	const uint32_t *s = vm_samples(r->vm, r->vcpu);

	for (unsigned int i = 0; i < BATCH; i++) {
		bool found = false;

		for (unsigned int k = 0; k < 2 && !found; k++) {
			uint32_t from = count(from_ns, &r->offsets[k]);

			found = s[i] - from <= count(to_ns, &r->offsets[k]) - from;
			r->seen[k] += found;
		}
		r->neither += !found;
	}
	r->reads += BATCH;
}

static void *read_on(void *argument)
{
	struct reader *r = argument;

	while (!__atomic_load_n(r->stop, __ATOMIC_RELAXED)) {
		uint64_t from_ns = test_now_ns();

		vm_run(r->vm, r->vcpu,
		       (struct vm_input){.operations = BATCH, .rdi = vm_samples_address(r->vcpu)});
		classify(r, from_ns, test_now_ns());
	}
	return NULL;
}

static void test_concurrent_set(void)
{
	enum { SETS = 60, PAUSE_US = 500 };
	struct kvm_pmtimer_config offsets[2] = {pmtimer_config(32, test_offsets[0]),
						pmtimer_config(32, test_offsets[1])};
	struct reader readers[TEST_VCPUS];
	pthread_t threads[TEST_VCPUS];
	uint64_t seen[2] = {0, 0};
	bool stop = false;
	struct vm vm;

	vm_open(&vm, TEST_VCPUS, GUEST(guest_read4));
	pmtimer_create(&vm, &offsets[0]);
	for (unsigned int i = 0; i < TEST_VCPUS; i++) {
		readers[i] =
			(struct reader){.vm = &vm, .vcpu = i, .offsets = offsets, .stop = &stop};
		test_expect(!pthread_create(&threads[i], NULL, read_on, &readers[i]), "no thread");
	}
	for (int i = 1; i <= SETS; i++) {
		pmtimer_set(&vm, &offsets[i % 2]);
		usleep(PAUSE_US);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);

	for (unsigned int i = 0; i < TEST_VCPUS; i++) {
		pthread_join(threads[i], NULL);
		seen[0] += readers[i].seen[0];
		seen[1] += readers[i].seen[1];
		test_expect(!readers[i].neither, "%llu samples of neither offset",
			    (unsigned long long)readers[i].neither);
		test_expect(vm_vcpu_stat(&vm, i, KVM_STAT_PMTIMER_READS) == readers[i].reads,
			    "vCPU %u: another number of reads counted than done", i);
	}
	test_note("%llu samples of one offset, %llu of the other", (unsigned long long)seen[0],
		  (unsigned long long)seen[1]);
	test_expect(seen[0] && seen[1], "only one offset was ever seen");
	vm_close(&vm, TEST_VCPUS);
}

const struct test pmtimer_time_tests[] = {
	{"pmtimer: samples inside the host's bracket", KVM_CAP_PMTIMER, test_bracket},
	{"pmtimer: one wrap at 24 bits", KVM_CAP_PMTIMER, test_wrap_24},
	{"pmtimer: one wrap at 32 bits", KVM_CAP_PMTIMER, test_wrap_32},
	{"pmtimer: 4 vCPUs read while the offset is set", KVM_CAP_PMTIMER, test_concurrent_set},
	{NULL, 0, NULL},
};
