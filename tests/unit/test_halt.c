/* Halt policies on a fake clock: KVM's table of windows, what is polled, what is counted. */
#include "fake.h"

#include "vmm/halt/halt.h"

#define LOOK_NS 100 /* what one look for an interrupt takes */

/* A vCPU's thread and its host. */
struct rig {
	struct halt_tuning tuning;
	struct halt halt;
	struct halt_ops ops;
	uint64_t time_ns, over_ns, crowded_ns; /* now, and when it is over or crowded */
	uint64_t until_ns;		       /* of the last block() */
	unsigned blocks;
};

static uint64_t rig_now(void *opaque)
{
	return ((const struct rig *)opaque)->time_ns;
}

static bool rig_is_over(void *opaque)
{
	struct rig *rig = opaque;

	if (rig->time_ns < rig->over_ns)
		rig->time_ns += LOOK_NS; /* a divisor of all times here */
	return rig->time_ns >= rig->over_ns;
}

static bool rig_is_crowded(void *opaque)
{
	const struct rig *rig = opaque;

	return rig->time_ns >= rig->crowded_ns;
}

static void rig_block(void *opaque, uint64_t until_ns)
{
	struct rig *rig = opaque;

	rig->blocks++;
	rig->until_ns = until_ns;
	rig->time_ns = rig->over_ns;
}

static void rig_init(struct rig *rig, enum halt_kind kind, uint64_t max_ns)
{
	*rig = (struct rig){.crowded_ns = UINT64_MAX, .time_ns = 1000000};
	rig->ops = (struct halt_ops){rig_now, rig_is_over, rig_is_crowded, rig_block, rig};
	halt_tuning_init(&rig->tuning, kind, max_ns);
	halt_init(&rig->halt, &rig->tuning, &rig->ops);
}

/* A halt that something ends after so long, with a timer armed then or not. */
static void halt_for(struct rig *rig, uint64_t ns, bool by_timer)
{
	rig->over_ns = rig->time_ns + ns;
	halt_wait(&rig->halt, by_timer ? rig->over_ns : HALT_NO_DEADLINE);
}

static void block_never_polls(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_BLOCK, 200000);
	halt_for(&rig, 5000, true);
	assert_int_equal(rig.blocks, 1);
	assert_int_equal(rig.until_ns, rig.over_ns);
	assert_int_equal(rig.halt.counts.halts, 1);
	assert_int_equal(rig.halt.counts.polled, 0);
}

static void poll_polls_its_window_and_then_blocks(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_POLL, 20000);
	halt_for(&rig, 15000, false);
	assert_int_equal(rig.blocks, 0);
	assert_int_equal(rig.halt.counts.poll_successful, 1);
	assert_int_equal(rig.halt.counts.poll_success_ns, 15000);
	halt_for(&rig, 1000000, false);
	assert_int_equal(rig.blocks, 1);
	assert_int_equal(rig.until_ns, HALT_NO_DEADLINE);
	assert_int_equal(rig.halt.counts.polled, 2);
	assert_int_equal(rig.halt.counts.poll_successful, 1);
	assert_int_equal(rig.halt.counts.poll_fail_ns, 20000);
	assert_int_equal(rig.halt.counts.poll_fail_ns + rig.halt.counts.blocked_ns, 1000000);
}

static void polling_yields_to_others(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_POLL, 200000);
	rig.crowded_ns = rig.time_ns + 3000;
	halt_for(&rig, 100000, false);
	assert_int_equal(rig.halt.counts.poll_interrupted, 1);
	assert_int_equal(rig.halt.counts.poll_fail_ns, 3000);
	assert_int_equal(rig.blocks, 1);
}

static void timer_polls_for_a_near_timer_only(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_TIMER, 10000);
	halt_for(&rig, 10000, true); /* at the bound */
	assert_int_equal(rig.halt.counts.poll_successful, 1);
	halt_for(&rig, 10100, true); /* beyond it */
	halt_for(&rig, 5000, false); /* no timer */
	assert_int_equal(rig.halt.counts.polled, 1);
	assert_int_equal(rig.blocks, 2);
	rig.over_ns = rig.time_ns + 1000;
	halt_wait(&rig.halt, rig.time_ns - 1); /* due already */
	assert_int_equal(rig.halt.counts.poll_successful, 2);
}

/* What a halt of so many ns makes of the window, from 0 on: BC-16's, then KVM's rules at their
 * edges. */
struct step {
	uint64_t max_ns;
	unsigned grow, shrink;
	uint64_t halted_ns, window_ns;
};

static const struct step steps[] = {
	/* Grows by doubling from grow_start, to the maximum and never above. */
	{11000, 2, 0, 10900, 10000},
	{11000, 2, 0, 10900, 11000},
	{11000, 2, 0, 10900, 11000},
	{11000, 2, 0, 11000, 11000}, /* as long as the window: enough */
	{11000, 2, 0, 11100, 0},     /* beyond the maximum, shrink 0 */
	{11000, 2, 0, 11100, 0},
	{11000, 2, 0, 11000, 0}, /* not below the maximum: no growth */
	/* KVM's default. */
	{200000, 2, 0, 100000, 10000},
	{200000, 2, 0, 100000, 20000},
	{200000, 2, 0, 20000, 20000},
	{200000, 2, 0, 100000, 40000},
	{200000, 2, 0, 100000, 80000},
	{200000, 2, 0, 100000, 160000},
	{200000, 2, 0, 199900, 200000},
	{200000, 2, 0, 100, 200000}, /* a short halt teaches nothing */
	/* Shrinks by its divisor, to 0 below grow_start. */
	{200000, 2, 4, 300000, 50000},
	{200000, 2, 4, 300000, 12500},
	{200000, 2, 4, 300000, 0},
	/* Other growth, none, and a window that a lowered maximum cuts. */
	{200000, 3, 2, 100000, 10000},
	{200000, 3, 2, 100000, 30000},
	{200000, 3, 2, 100000, 90000},
	{200000, 0, 2, 199000, 90000},
	{50000, 2, 2, 40000, 50000},
	{50000, 2, 2, 60000, 25000},
	{50000, 1, 2, 40000, 25000},
	{15000, 2, 2, 14900, 15000},
	/* No maximum: no window, and none grows. */
	{0, 2, 0, 1000, 0},
	{0, 2, 0, 1000000, 0},
	{200000, 2, 0, 1000, 10000},
	{5000, 2, 0, 4900, 5000}, /* a maximum below grow_start */
	{5000, 2, 0, 5100, 0},
};

static void adaptive_follows_kvm(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_ADAPTIVE, 0);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		const struct step *step = &steps[i];
		uint64_t polled_ns;

		atomic_store(&rig.tuning.max_ns, step->max_ns);
		atomic_store(&rig.tuning.grow, step->grow);
		atomic_store(&rig.tuning.shrink, step->shrink);
		polled_ns = rig.halt.counts.poll_success_ns + rig.halt.counts.poll_fail_ns;
		halt_for(&rig, step->halted_ns, false);
		polled_ns = rig.halt.counts.poll_success_ns + rig.halt.counts.poll_fail_ns -
			    polled_ns;
		if (rig.halt.window_ns != step->window_ns || polled_ns > step->max_ns)
			fail_msg("step %u: window %llu, polled %llu", i,
				 (unsigned long long)rig.halt.window_ns,
				 (unsigned long long)polled_ns);
	}
}

static void a_change_acts_at_the_next_halt(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_POLL, 20000);
	halt_for(&rig, 5000, false);
	assert_int_equal(rig.halt.counts.polled, 1);
	atomic_store(&rig.tuning.max_ns, 0);
	halt_for(&rig, 5000, false);
	assert_int_equal(rig.halt.counts.polled, 1);
	atomic_store(&rig.tuning.max_ns, 20000);
	halt_for(&rig, 5000, false);
	assert_int_equal(rig.halt.counts.polled, 2);
	atomic_store(&rig.tuning.kind, HALT_BLOCK);
	halt_for(&rig, 5000, false);
	assert_int_equal(rig.halt.counts.polled, 2);
}

static void what_is_over_does_not_block(void **state)
{
	struct rig rig;

	rig_init(&rig, HALT_BLOCK, 0);
	halt_for(&rig, 0, true);
	assert_int_equal(rig.blocks, 0);
	assert_int_equal(rig.halt.counts.halts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_never_polls),
		cmocka_unit_test(poll_polls_its_window_and_then_blocks),
		cmocka_unit_test(polling_yields_to_others),
		cmocka_unit_test(timer_polls_for_a_near_timer_only),
		cmocka_unit_test(adaptive_follows_kvm),
		cmocka_unit_test(a_change_acts_at_the_next_halt),
		cmocka_unit_test(what_is_over_does_not_block),
	};

	return cmocka_run_group_tests_name("halt", tests, NULL, NULL);
}
