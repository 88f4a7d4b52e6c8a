/*
 * Time-stamp counter (SDM vol. 3B ch. 18.17, "Time-Stamp Counter").
 *
 * Its frequency comes from who knows it best: the VMM of the pair, another
 * hypervisor, the CPU, and only then from a calibration. A hypervisor goes before
 * CPUID 0x15, which it may pass on from a host whose TSC it scales. CPUID 0x16 is
 * not asked: it gives a nominal frequency in MHz, up to some 1000 ppm off.
 */
#include "drivers/tsc.h"

#include "drivers/hypervisor.h"
#include "drivers/table.h"
#include "kernel/clock.h"
#include "kernel/io.h"
#include "kernel/pair.h"

/* Without a constant rate the TSC is no clock to choose unasked. */
#define RATING_INVARIANT 400
#define RATING_VARIANT	 50

#define CRYSTAL_LEAF	0x15
#define EXTENDED_LEAF	0x80000000
#define POWER_LEAF	0x80000007
#define POWER_INVARIANT (1u << 8) /* EDX */

#define CALIBRATION_MS	      10
#define CALIBRATION_READS_MAX 1000000
#define SAMPLE_READS	      5

/* The first caller sets both; two CPUs at once set them alike. */
static uint64_t frequency_hz;
static const char *frequency_source;

/* Of several tries the one with the narrowest bracket: no stall of the host lies in it. */
struct tsc_sample tsc_sample(uint64_t (*read_counter)(void))
{
	struct tsc_sample best = {0};
	uint64_t narrowest = UINT64_MAX;

	for (unsigned i = 0; i < SAMPLE_READS; i++) {
		uint64_t before = rdtsc_ordered();
		uint64_t counter = read_counter();
		uint64_t width = rdtsc_ordered() - before;

		if (width < narrowest) {
			narrowest = width;
			best.tsc = before + width / 2;
			best.counter = counter;
		}
	}
	return best;
}

static uint64_t calibrate(const struct clock_source *reference)
{
	uint64_t mask = UINT64_MAX >> (64 - reference->width);
	uint64_t reference_hz = reference->frequency();
	uint64_t wanted = reference_hz * CALIBRATION_MS / 1000;
	struct tsc_sample start = tsc_sample(reference->read), end;
	uint64_t ticks = 0;

	for (unsigned i = 0; i < CALIBRATION_READS_MAX && ticks < wanted; i++)
		ticks = (reference->read() - start.counter) & mask;
	if (ticks < wanted)
		return 0;
	end = tsc_sample(reference->read);
	ticks = (end.counter - start.counter) & mask;
	return ticks ? (end.tsc - start.tsc) * reference_hz / ticks : 0;
}

static uint64_t cpuid_hz(void)
{
	struct cpuid ratio;

	if (cpuid(0, 0).eax < CRYSTAL_LEAF)
		return 0;
	ratio = cpuid(CRYSTAL_LEAF, 0);
	/* TSC = crystal · EBX / EAX; a crystal or a ratio of 0 is "not enumerated". */
	return ratio.eax ? (uint64_t)ratio.ecx * ratio.ebx / ratio.eax : 0;
}

static bool found(uint64_t hz, const char *source)
{
	if (hz) {
		frequency_hz = hz;
		frequency_source = source;
	}
	return hz != 0;
}

static void find_frequency(void)
{
	static const char *const references[] = {"pmtimer", "pit"};
	const struct tk_acpi_body *pair = pair_table();

	if ((pair && found(pair->tsc_khz * 1000ull, "pair")) ||
	    found(hypervisor_timing().tsc_khz * 1000ull, "hypervisor") ||
	    found(cpuid_hz(), "CPUID 0x15"))
		return;
	for (unsigned i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
		const struct clock_source *reference = clock_find(references[i]);

		if (reference && found(calibrate(reference), references[i]))
			return;
	}
}

uint64_t tsc_hz(void)
{
	if (!frequency_hz)
		find_frequency();
	return frequency_hz;
}

uint32_t tsc_khz(void)
{
	return (tsc_hz() + 500) / 1000;
}

const char *tsc_source(void)
{
	return tsc_hz() ? frequency_source : "unknown";
}

bool tsc_invariant(void)
{
	return cpuid(EXTENDED_LEAF, 0).eax >= POWER_LEAF &&
	       cpuid(POWER_LEAF, 0).edx & POWER_INVARIANT;
}

static struct clock_source tsc_clock = {
	.name = "tsc",
	.width = 64,
	.read = rdtsc_ordered,
	.frequency = tsc_hz,
};

void tsc_probe(void)
{
	tsc_clock.rating = tsc_invariant() ? RATING_INVARIANT : RATING_VARIANT;
	clock_register(&tsc_clock);
}
