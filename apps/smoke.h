/*
 * smoke: its checks, in a table a subject.
 *
 * A check returns PASS, or what EXPECT() or skipped() made of it. Bounds are lower
 * bounds, order, counts, or ratios within the run: no check is wrong on a slow or
 * busy host. Whoever waits halts: some hosts look at interrupts rarely otherwise.
 */
#ifndef TICKVM_SMOKE_H
#define TICKVM_SMOKE_H

#include <stdbool.h>
#include <stdint.h>

enum verdict { PASS, FAIL, SKIP };

struct smoke_check {
	const char *name;
	enum verdict (*run)(void);
};

/* Each ends with a null name. */
extern const struct smoke_check smoke_cpu_checks[];
extern const struct smoke_check smoke_memory_checks[];
extern const struct smoke_check smoke_smp_checks[];
extern const struct smoke_check smoke_clock_checks[];
extern const struct smoke_check smoke_timer_checks[];
extern const struct smoke_check smoke_interrupt_checks[];
extern const struct smoke_check smoke_user_checks[];
extern const struct smoke_check smoke_pair_checks[];
extern const struct smoke_check smoke_disk_checks[];

/* Keep the text: measured value and bound, or what this machine lacks. */
enum verdict failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum verdict skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns from the check that it is used in. */
#define EXPECT(condition, ...)                      \
	do {                                        \
		if (!(condition))                   \
			return failed(__VA_ARGS__); \
	} while (0)

/*
 * A clock's reading between two of another: however long the host stopped us, the
 * clock was read at some time between `before` and `after`.
 */
struct bracket {
	uint64_t before, value, after;
};
struct bracket bracket(uint64_t (*reference)(void), uint64_t (*clock)(void));

/*
 * Whether `ticks` of a clock of `hz` can have passed from one bracket to the other,
 * by the reference's `reference_hz`, within 1 %.
 */
bool brackets_agree(const struct bracket *from, const struct bracket *to, uint64_t reference_hz,
		    uint64_t ticks, uint64_t hz);

#endif
