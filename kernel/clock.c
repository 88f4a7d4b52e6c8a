/*
 * Clock sources: a counter with an exact frequency becomes ns by 128-bit arithmetic,
 * from its first reading on, so that no remainder is ever lost. A counter narrower
 * than 64 bits is extended at each reading; a sleeper wakes to read it in time.
 */
#include "clock.h"

#include <stddef.h>
#include <string.h>

#include "io.h"
#include "irq.h"
#include "lock.h"

#define NS_PER_S    1000000000ull
#define SOURCES_MAX 8

static const struct clock_source *sources[SOURCES_MAX];
static unsigned source_count;
static const struct clock_event *event;

/* The chosen one. The lock guards last and ticks, where the counter is narrow. */
static struct {
	const struct clock_source *source;
	uint64_t frequency; /* Hz */
	uint64_t mask;
	uint64_t last;	/* the counter when it was last looked at; if 64 bits wide: at first */
	uint64_t ticks; /* from the first reading to the last one */
	struct spin_lock lock;
} chosen;

static int64_t (*read_wall_seconds)(void);

void clock_register(const struct clock_source *source)
{
	if (source_count < SOURCES_MAX)
		sources[source_count++] = source;
}

void clock_event_register(const struct clock_event *new_event)
{
	event = new_event;
}

const struct clock_source *clock_find(const char *name)
{
	for (unsigned i = 0; i < source_count; i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}

const struct clock_source *clock_selected(void)
{
	return chosen.source;
}

const char *clock_names(void)
{
	static char names[SOURCES_MAX * 12];

	names[0] = 0;
	for (unsigned i = 0; i < source_count; i++) {
		if (i)
			strlcat(names, " ", sizeof(names));
		strlcat(names, sources[i]->name, sizeof(names));
	}
	return names;
}

static int use(const struct clock_source *source)
{
	uint64_t frequency = source->frequency();

	if (!frequency)
		return -1;
	chosen.source = source;
	chosen.frequency = frequency;
	chosen.mask = source->width < 64 ? (1ull << source->width) - 1 : UINT64_MAX;
	chosen.last = source->read();
	chosen.ticks = 0;
	return 0;
}

/* The best one that says how fast it runs: a rating below the last try's each time. */
static int use_best(void)
{
	unsigned below = UINT32_MAX;

	for (;;) {
		const struct clock_source *best = NULL;

		for (unsigned i = 0; i < source_count; i++)
			if (sources[i]->rating < below &&
			    (!best || sources[i]->rating > best->rating))
				best = sources[i];
		if (!best)
			return -1;
		if (use(best) == 0)
			return 0;
		below = best->rating;
	}
}

int clock_select(const char *name)
{
	const struct clock_source *source;

	if (!name)
		return use_best();
	source = clock_find(name);
	return source ? use(source) : -1;
}

/* value * multiplier / divisor, with 128 bits between; the quotient must fit 64. */
static uint64_t scale(uint64_t value, uint64_t multiplier, uint64_t divisor)
{
	uint64_t low, high;

	__asm__("mulq %3" : "=a"(low), "=d"(high) : "a"(value), "r"(multiplier) : "cc");
	__asm__("divq %2" : "+a"(low), "+d"(high) : "r"(divisor) : "cc");
	return low;
}

static uint64_t narrow_ticks(void)
{
	bool irqs_on = spin_lock(&chosen.lock);
	uint64_t now = chosen.source->read(), ticks;

	chosen.ticks += (now - chosen.last) & chosen.mask;
	chosen.last = now;
	ticks = chosen.ticks;
	spin_unlock(&chosen.lock, irqs_on);
	return ticks;
}

uint64_t clock_now_ns(void)
{
	int64_t ticks;

	if (!chosen.source && use_best() != 0)
		return 0;
	if (chosen.source->width < 64)
		return scale(narrow_ticks(), NS_PER_S, chosen.frequency);
	/* Another CPU's counter may be a little behind that of the first reading. */
	ticks = chosen.source->read() - chosen.last;
	return ticks > 0 ? scale(ticks, NS_PER_S, chosen.frequency) : 0;
}

/* How long a sleeper may leave the counter unread: half its wrap. */
static uint64_t half_wrap_ns(void)
{
	if (chosen.source->width == 64)
		return UINT64_MAX;
	return scale(chosen.mask / 2 + 1, NS_PER_S, chosen.frequency);
}

bool clock_doze_until(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns(), delay;

	if (now >= deadline_ns || !chosen.source)
		return false;
	if (!event) {
		cpu_pause();
		return true;
	}
	delay = deadline_ns - now;
	if (delay > half_wrap_ns())
		delay = half_wrap_ns();
	event->arm_ns(delay);
	cpu_idle();
	return true;
}

void clock_sleep_until(uint64_t deadline_ns)
{
	bool irqs_on = irq_save(), slept = false;

	while (clock_doze_until(deadline_ns))
		slept = true;
	/* Another interrupt may have been the last to wake us. */
	if (slept && event)
		event->stop();
	irq_restore(irqs_on);
}

void clock_wall_register(int64_t (*read_seconds)(void))
{
	read_wall_seconds = read_seconds;
}

/* Wall time at clock_now_ns() == 0, once it is known. */
static int64_t wall_origin_ns;
static bool wall_known;

static void find_wall_origin(void)
{
	static struct spin_lock lock;
	bool irqs_on = spin_lock(&lock);

	if (!wall_known) {
		int64_t seconds = read_wall_seconds();

		wall_origin_ns = seconds * (int64_t)NS_PER_S - (int64_t)clock_now_ns();
		__atomic_store_n(&wall_known, true, __ATOMIC_RELEASE);
	}
	spin_unlock(&lock, irqs_on);
}

int64_t clock_wall_ns(void)
{
	if (!read_wall_seconds)
		return clock_now_ns();
	if (!__atomic_load_n(&wall_known, __ATOMIC_ACQUIRE))
		find_wall_origin();
	return wall_origin_ns + (int64_t)clock_now_ns();
}
