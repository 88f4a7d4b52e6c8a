/*
 * KVM_CREATE_PMTIMER, KVM_GET_PMTIMER, KVM_SET_PMTIMER: what they accept and do,
 * and which accesses of the guest the timer then serves. What it counts is judged
 * in kvm_series_pmtimer_time.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/lab/kvm_series.h"

#define READS 500u

struct kvm_pmtimer_config pmtimer_config(unsigned int width, int64_t offset_ns)
{
	return (struct kvm_pmtimer_config){
		.port = TEST_PORT, .width = (uint8_t)width, .offset_ns = offset_ns};
}

static void expect_errno(int fd, unsigned long request, struct kvm_pmtimer_config c, int error,
			 const char *what)
{
	errno = 0;
	test_expect(ioctl(fd, request, &c) < 0 && errno == error, "%s: %s instead of %s", what,
		    errno ? strerror(errno) : "success", strerror(error));
}

void pmtimer_create(const struct vm *vm, struct kvm_pmtimer_config *c)
{
	test_expect(!ioctl(vm->fd, KVM_CREATE_PMTIMER, c), "KVM_CREATE_PMTIMER: %s",
		    strerror(errno));
}

void pmtimer_set(const struct vm *vm, struct kvm_pmtimer_config *c)
{
	test_expect(!ioctl(vm->fd, KVM_SET_PMTIMER, c), "KVM_SET_PMTIMER: %s", strerror(errno));
}

/* All that is wrong in itself, with whichever of CREATE and SET. */
static void expect_refusals(int fd, unsigned long request)
{
	struct kvm_pmtimer_config c;
	static const uint8_t widths[] = {0, 1, 16, 23, 25, 31, 33, 64, 255};
	static const uint16_t ports[] = {0, 0x609, 0x60a, 0x60b, 0xffff};

#define REFUSED(field, value)                                 \
	do {                                                  \
		c = pmtimer_config(24, 0);                    \
		c.field = (value);                            \
		expect_errno(fd, request, c, EINVAL, #field); \
	} while (0)
	for (size_t i = 0; i < sizeof(widths); i++)
		REFUSED(width, widths[i]);
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		REFUSED(port, ports[i]);
	REFUSED(pad, 1);
	REFUSED(flags, 1);
	REFUSED(flags, 1u << 31);
	REFUSED(reserved[0], 1);
	REFUSED(reserved[1], 1ull << 63);
	REFUSED(offset_ns, -(int64_t)test_now_ns() - 60000000000); /* a minute before 0 */
	REFUSED(offset_ns, INT64_MIN);
	REFUSED(offset_ns, INT64_MAX); /* past the end of signed time */
#undef REFUSED
}

static int open_vm(void)
{
	int fd = ioctl(test_kvm(), KVM_CREATE_VM, 0);

	test_expect(fd >= 0, "KVM_CREATE_VM: %s", strerror(errno));
	return fd;
}

static void test_bad_arguments(void)
{
	int fd = open_vm();

	expect_refusals(fd, KVM_CREATE_PMTIMER);
	errno = 0;
	test_expect(ioctl(fd, KVM_CREATE_PMTIMER, NULL) < 0 && errno == EFAULT, "no EFAULT");
	expect_errno(fd, KVM_SET_PMTIMER, pmtimer_config(24, 0), ENXIO, "set without a timer");
	expect_errno(fd, KVM_GET_PMTIMER, pmtimer_config(24, 0), ENXIO, "get without a timer");
	close(fd);
}

static void test_double_creation(void)
{
	struct kvm_pmtimer_config c = pmtimer_config(24, 0);
	struct vm vm = {.fd = open_vm()};

	pmtimer_create(&vm, &c);
	expect_errno(vm.fd, KVM_CREATE_PMTIMER, c, EEXIST, "the same again");
	c.port += 4;
	expect_errno(vm.fd, KVM_CREATE_PMTIMER, c, EEXIST, "at another port");
	close(vm.fd);
}

static void test_get_set(void)
{
	struct kvm_pmtimer_config c = pmtimer_config(32, 12345), got;
	struct vm vm = {.fd = open_vm()};

	pmtimer_create(&vm, &c);
	memset(&got, 0xff, sizeof(got));
	test_expect(!ioctl(vm.fd, KVM_GET_PMTIMER, &got), "get: %s", strerror(errno));
	test_expect(!memcmp(&got, &c, sizeof(c)), "got another configuration than was created");

	expect_refusals(vm.fd, KVM_SET_PMTIMER);
	got.width = 24;
	expect_errno(vm.fd, KVM_SET_PMTIMER, got, EINVAL, "another width");
	got.width = 32;
	got.port += 4;
	expect_errno(vm.fd, KVM_SET_PMTIMER, got, EINVAL, "another port");

	c.offset_ns = -1;
	pmtimer_set(&vm, &c);
	test_expect(!ioctl(vm.fd, KVM_GET_PMTIMER, &got), "get: %s", strerror(errno));
	test_expect(!memcmp(&got, &c, sizeof(c)), "got another configuration than was set");
	close(vm.fd);
}

/* KASAN keeps what was freed for a while, so that a later use of it is found. */
static bool kasan(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, " kasan_quarantine_put\n");
	if (f)
		fclose(f);
	return found;
}

/*
 * Objects in use in the slab caches that a small accounted allocation can come from;
 * -1: that cannot be told.
 */
static long slab_objects(void)
{
	FILE *f = kasan() ? NULL : fopen("/proc/slabinfo", "re");
	char line[256], name[64];
	long active, sum = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %ld", name, &active) == 2 && !strncmp(name, "kmalloc-", 8))
			sum += active;
	}
	fclose(f);
	return sum;
}

static void test_create_destroy(void)
{
	enum { ROUNDS = 200, VMS = 8 };
	struct kvm_pmtimer_config c = pmtimer_config(24, 0);
	long before = slab_objects(), grown;
	struct vm vm[VMS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < VMS; i++) {
			vm[i].fd = open_vm();
			pmtimer_create(&vm[i], &c);
		}
		for (int i = 0; i < VMS; i++)
			close(vm[i].fd);
	}
	grown = slab_objects() - before;
	if (before >= 0)
		test_note("kmalloc objects in use: %+ld after %d VMs", grown, ROUNDS * VMS);
	test_expect(before < 0 || grown < ROUNDS * VMS / 2, "timers stay behind");
}

/* Where accesses end: `exits` of n operations of a guest reach userspace, the rest is counted. */
static void expect_exits(const struct guest *guest, uint64_t exits)
{
	struct kvm_pmtimer_config c = pmtimer_config(24, 0);
	uint64_t got, reads;
	struct vm vm;

	vm_open(&vm, 1, guest);
	pmtimer_create(&vm, &c);
	got = vm_run(&vm, 0, (struct vm_input){.operations = READS, .rdi = vm_samples_address(0)});
	reads = vm_vcpu_stat(&vm, 0, KVM_STAT_PMTIMER_READS);
	test_expect(got == exits, "%llu exits", (unsigned long long)got);
	test_expect(reads == READS - exits, "%llu reads counted", (unsigned long long)reads);
	vm_close(&vm, 1);
}

static void test_other_accesses(void)
{
	expect_exits(GUEST(guest_read1), READS);
	expect_exits(GUEST(guest_write4), READS);
}

static void test_statistics(void)
{
	expect_exits(GUEST(guest_read4), 0);
	expect_exits(GUEST(guest_read4_string), 0);
}

const struct test pmtimer_tests[] = {
	{"pmtimer: bad arguments are refused", KVM_CAP_PMTIMER, test_bad_arguments},
	{"pmtimer: a second one is refused", KVM_CAP_PMTIMER, test_double_creation},
	{"pmtimer: get and set", KVM_CAP_PMTIMER, test_get_set},
	{"pmtimer: 200 times 8 VMs leave nothing", KVM_CAP_PMTIMER, test_create_destroy},
	{"pmtimer: other accesses reach userspace", KVM_CAP_PMTIMER, test_other_accesses},
	{"pmtimer: reads served are counted", KVM_CAP_PMTIMER, test_statistics},
	{NULL, 0, NULL},
};
