/*
 * kvmclock: the host's clock as a line through the TSC (Linux,
 * Documentation/virt/kvm/x86/msr.rst, MSR_KVM_SYSTEM_TIME_NEW).
 *
 * The host writes each CPU's page under a version that is odd meanwhile. No lock:
 * a CPU reads its own page only, as a sequence lock.
 */
#include "drivers/kvmclock.h"

#include "drivers/hypervisor.h"
#include "drivers/table.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/smp.h"

#define RATING	      300
#define NS_PER_SECOND 1000000000

#define FEATURES_LEAF	     1		/* after KVM's first leaf; EAX: */
#define FEATURE_CLOCKSOURCE  (1u << 0)	/* MSR_SYSTEM_TIME */
#define FEATURE_CLOCKSOURCE2 (1u << 3)	/* MSR_SYSTEM_TIME_NEW */
#define FEATURE_STABLE_BIT   (1u << 24) /* PAGE_STABLE means something */

#define MSR_SYSTEM_TIME	    0x12
#define MSR_SYSTEM_TIME_NEW 0x4b564d01
#define MSR_ENABLE	    1

struct page {
	uint32_t version; /* 0: never written */
	uint32_t pad0;
	uint64_t tsc_timestamp;
	uint64_t system_time_ns;    /* at tsc_timestamp */
	uint32_t tsc_to_system_mul; /* ns · 2^32 for each (TSC tick · 2^shift) */
	int8_t tsc_shift;
	uint8_t flags;
	uint8_t pad1[2];
};
_Static_assert(sizeof(struct page) == 32, "pvclock_vcpu_time_info is 32 bytes");
#define PAGE_STABLE 1

/*
 * The host writes a page on its next entry into the guest after the MSR is set.
 * Where that is not at once, a port access, which the host handles, brings it on.
 */
#define EXIT_PORT    0x80 /* POST codes: harmless on every PC */
#define ENABLE_EXITS 1000

static struct page pages[CPUS_MAX] __attribute__((aligned(sizeof(struct page))));
static uint32_t msr; /* 0: no kvmclock */
static bool stable_bit_valid;

static const volatile struct page *this_page(void)
{
	const volatile struct page *page = &pages[cpu_index()];

	if (page->version == 0) {
		wrmsr(msr, (uint64_t)page | MSR_ENABLE);
		for (unsigned i = 0; i < ENABLE_EXITS && page->version == 0; i++)
			in8(EXIT_PORT);
	}
	return page;
}

static uint64_t scale(uint64_t ticks, uint32_t mul, int shift)
{
	ticks = shift < 0 ? ticks >> -shift : ticks << shift;
	return (unsigned __int128)ticks * mul >> 32;
}

static uint64_t read_ns(void)
{
	const volatile struct page *page = this_page();
	uint32_t version;
	uint64_t ns;

	do {
		version = page->version;
		/* The fence in front of RDTSC keeps it behind the version that it is read under. */
		ns = page->system_time_ns + scale(rdtsc_ordered() - page->tsc_timestamp,
						  page->tsc_to_system_mul, page->tsc_shift);
	} while (version & 1 || version != page->version);
	return ns;
}

/* A host that does not fill the page in has no clock for us. */
static uint64_t frequency(void)
{
	return this_page()->version ? NS_PER_SECOND : 0;
}

bool kvmclock_present(void)
{
	return msr != 0;
}

uint64_t kvmclock_ns(void)
{
	return msr ? read_ns() : 0;
}

bool kvmclock_stable(void)
{
	return msr && stable_bit_valid && this_page()->flags & PAGE_STABLE;
}

static const struct clock_source kvmclock_clock = {
	.name = "kvmclock",
	.rating = RATING,
	.width = 64,
	.read = read_ns,
	.frequency = frequency,
};

void kvmclock_probe(void)
{
	uint32_t base = hypervisor_kvm_base();
	uint32_t features;

	if (!base)
		return;
	features = cpuid(base + FEATURES_LEAF, 0).eax;
	if (features & FEATURE_CLOCKSOURCE2)
		msr = MSR_SYSTEM_TIME_NEW;
	else if (features & FEATURE_CLOCKSOURCE)
		msr = MSR_SYSTEM_TIME;
	else
		return;
	stable_bit_valid = features & FEATURE_STABLE_BIT;
	clock_register(&kvmclock_clock);
}
