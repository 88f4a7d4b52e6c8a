/*
 * The virtio-mmio transport and its split queue: registers, negotiation, set-up in the
 * wrong order, notifications, and every way for a driver to hand over a bad chain.
 */
#include "virtio_rig.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define FEATURE (UINT64_C(1) << 5)

/* A device that notes what it is given and fills it. */
struct heard {
	unsigned calls;
	unsigned readable, writable;
	uint16_t used_flags;  /* when offer_to was set */
	bool malformed;	      /* its next answer */
	struct rig *offer_to; /* while the next request is served, this is offered one more */
};

static int64_t hear(void *opaque, struct virtio_chain *chain)
{
	struct heard *heard = opaque;
	int64_t written = 0;

	heard->calls++;
	heard->readable = chain->readable;
	heard->writable = chain->writable;
	if (heard->offer_to) {
		heard->used_flags = peek16(heard->offer_to, RIG_USED);
		offer(heard->offer_to, chain->head);
	}
	heard->offer_to = NULL;
	for (unsigned i = chain->readable; i < chain->readable + chain->writable; i++) {
		memset(chain->buffers[i].data, 0xab, chain->buffers[i].length);
		written += chain->buffers[i].length;
	}
	return heard->malformed ? -1 : written;
}

static uint32_t config(void *opaque, uint32_t offset, unsigned size)
{
	return offset << 8 | size;
}

static struct heard heard;
static const struct virtio_device device = {
	.id = 42, .features = FEATURE, .serve = hear, .read_config = config, .opaque = &heard};

static int make(void **state)
{
	static struct rig rig;

	heard = (struct heard){0};
	rig_init(&rig, &device);
	*state = &rig;
	return 0;
}

static int drop(void **state)
{
	rig_free(*state);
	return 0;
}

/* ---- registers and negotiation ---- */

static void names_itself(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(get(rig, MAGIC), 0x74726976);
	assert_int_equal(get(rig, VERSION), 2);
	assert_int_equal(get(rig, DEVICE_ID), 42);
	assert_int_equal(get(rig, STATUS), 0);
	assert_int_equal(get(rig, CONFIG_GENERATION), 0);
	assert_int_equal(get(rig, SHARED_MEMORY_LENGTH), UINT32_MAX);
	assert_int_equal(get(rig, QUEUE_SIZE_MAX), VIRTIO_QUEUE_MAX);
	set(rig, QUEUE_SELECT, 1);
	assert_int_equal(get(rig, QUEUE_SIZE_MAX), 0);
}

static void takes_words_only(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(read_at(&rig->bus, RIG_BASE + VERSION, 1), 0xff);
	assert_int_equal(read_at(&rig->bus, RIG_BASE + VERSION, 2), 0xffff);
	assert_int_equal(read_at(&rig->bus, RIG_BASE + VERSION + 2, 4), UINT32_MAX);
	write_at(&rig->bus, RIG_BASE + STATUS, 1, ACKNOWLEDGE);
	assert_int_equal(get(rig, STATUS), 0);
	/* The configuration space has all sizes, and is read-only. */
	assert_int_equal(read_at(&rig->bus, RIG_BASE + CONFIG + 3, 1), 0x01);
	assert_int_equal(read_at(&rig->bus, RIG_BASE + CONFIG + 2, 2), 0x0202);
	assert_int_equal(read_at(&rig->bus, RIG_BASE + CONFIG + 4, 4), 0x0404);
	set(rig, CONFIG, 7);
	assert_int_equal(get(rig, CONFIG), 0x0004);
}

static void offers_its_features_by_halves(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(get(rig, DEVICE_FEATURES), FEATURE);
	set(rig, DEVICE_FEATURES_SELECT, 1);
	assert_int_equal(get(rig, DEVICE_FEATURES), 1);
	set(rig, DEVICE_FEATURES_SELECT, 2);
	assert_int_equal(get(rig, DEVICE_FEATURES), 0);
}

static void agrees_to_what_it_offered(void **state)
{
	static const struct {
		uint64_t features;
		bool ok;
	} rows[] = {
		{VIRTIO_F_VERSION_1, true},
		{VIRTIO_F_VERSION_1 | FEATURE, true},
		{0, false},
		{FEATURE, false},
		{VIRTIO_F_VERSION_1 | 1, false},
		{VIRTIO_F_VERSION_1 | VIRTIO_F_VERSION_1 << 1, false},
	};
	struct rig *rig = *state;

	for (unsigned i = 0; i < ROWS(rows); i++) {
		set(rig, STATUS, 0);
		set(rig, STATUS, ACKNOWLEDGE | DRIVER);
		set_features(rig, rows[i].features);
		set(rig, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
		assert_int_equal(get(rig, STATUS) & FEATURES_OK, rows[i].ok ? FEATURES_OK : 0);
		set(rig, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
		assert_int_equal(get(rig, STATUS) & DRIVER_OK, rows[i].ok ? DRIVER_OK : 0);
	}
}

/* A half that is none, and features after they were agreed on, change nothing. */
static void keeps_what_was_agreed(void **state)
{
	struct rig *rig = *state;

	set(rig, DRIVER_FEATURES_SELECT, 64);
	set(rig, DRIVER_FEATURES, UINT32_MAX);
	negotiate(rig);
	set_features(rig, UINT64_MAX);
	set(rig, STATUS, 0xff & ~NEEDS_RESET);
	assert_int_equal(get(rig, STATUS), 0xf | FAILED);
	assert_int_equal(rig->mmio.state.driver_features, VIRTIO_F_VERSION_1);
}

static void status_bits_stay_until_reset(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	set(rig, STATUS, ACKNOWLEDGE);
	assert_int_equal(get(rig, STATUS), 0xf);
	set(rig, STATUS, NEEDS_RESET); /* the device's own */
	assert_int_equal(get(rig, STATUS), 0xf);
	set(rig, STATUS, 0);
	assert_int_equal(get(rig, STATUS), 0);
	assert_int_equal(get(rig, QUEUE_READY), 0);
	assert_int_equal(rig->mmio.state.driver_features, 0);
}

/* ---- the queue's set-up ---- */

static void bad_queues_need_a_reset(void **state)
{
	static const struct {
		uint32_t reg, value;
	} rows[] = {
		{QUEUE_SIZE, 0},
		{QUEUE_SIZE, 7},
		{QUEUE_SIZE, 2 * VIRTIO_QUEUE_MAX},
		{QUEUE_SIZE, UINT32_MAX},
		{QUEUE_DESCRIPTORS, RIG_DESCRIPTORS + 8},
		{QUEUE_DESCRIPTORS, RIG_BYTES - 16 * RIG_SIZE + 16},
		{QUEUE_DESCRIPTORS + 4, 0xffffffff},
		{QUEUE_AVAILABLE, RIG_AVAILABLE + 1},
		{QUEUE_AVAILABLE, RIG_BYTES - 2},
		{QUEUE_AVAILABLE + 4, 1},
		{QUEUE_USED, RIG_USED + 2},
		{QUEUE_USED, RIG_BYTES - 8 * RIG_SIZE},
		{QUEUE_USED, 0xfffffffc},
	};
	struct rig *rig = *state;

	for (unsigned i = 0; i < ROWS(rows); i++) {
		negotiate(rig);
		set_queue(rig, RIG_SIZE);
		set(rig, rows[i].reg, rows[i].value);
		set(rig, QUEUE_READY, 1);
		if (get(rig, QUEUE_READY) || !(get(rig, STATUS) & NEEDS_RESET))
			fail_msg("row %u was taken", i);
	}
	assert_int_equal(rig->interrupts, 0); /* before DRIVER_OK nobody listens */
}

static void queue_before_features(void **state)
{
	struct rig *rig = *state;

	set(rig, STATUS, ACKNOWLEDGE | DRIVER);
	set_queue(rig, RIG_SIZE);
	set(rig, QUEUE_READY, 1);
	assert_int_equal(get(rig, QUEUE_READY), 0);
	assert_int_equal(get(rig, STATUS), ACKNOWLEDGE | DRIVER | NEEDS_RESET);
}

static void a_queue_in_use_stays_where_it_is(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	set(rig, QUEUE_SIZE, 4);
	set(rig, QUEUE_USED, RIG_DATA);
	set(rig, QUEUE_READY, 1);
	assert_int_equal(rig->mmio.queue.state.size, RIG_SIZE);
	assert_int_equal(rig->mmio.queue.state.used, RIG_USED);
	set(rig, QUEUE_READY, 0);
	assert_int_equal(get(rig, QUEUE_READY), 0);
	set(rig, QUEUE_SIZE, 4);
	assert_int_equal(rig->mmio.queue.state.size, 4);
}

static void other_queues_are_not_there(void **state)
{
	struct rig *rig = *state;

	negotiate(rig);
	set_queue(rig, RIG_SIZE);
	set(rig, QUEUE_SELECT, 1);
	set(rig, QUEUE_SIZE, 4);
	set(rig, QUEUE_READY, 1);
	assert_int_equal(get(rig, QUEUE_READY), 0);
	set(rig, QUEUE_SELECT, 0);
	assert_int_equal(get(rig, QUEUE_READY), 0);
	assert_int_equal(rig->mmio.queue.state.size, RIG_SIZE);
	assert_int_equal(get(rig, STATUS) & NEEDS_RESET, 0);
}

/* ---- requests ---- */

static void serves_a_chain(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 5, (struct rig_descriptor){RIG_DATA, 16, NEXT, 2});
	describe(rig, 2, (struct rig_descriptor){RIG_DATA + 16, 7, NEXT | WRITE, 0});
	describe(rig, 0, (struct rig_descriptor){RIG_BYTES - 1, 1, WRITE, 0});
	offer(rig, 5);
	serve(rig);
	assert_int_equal(heard.calls, 1);
	assert_int_equal(heard.readable, 1);
	assert_int_equal(heard.writable, 2);
	assert_int_equal(used_count(rig), 1);
	assert_int_equal(used_head(rig), 5);
	assert_int_equal(used_length(rig), 8);
	assert_int_equal(rig->ram.host[RIG_BYTES - 1], 0xab);
	assert_int_equal(rig->interrupts, 1);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 1);
	set(rig, INTERRUPT_ACK, 1);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 0);
	assert_int_equal(get(rig, STATUS), 0xf);
}

static void acknowledges_cause_by_cause(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	describe(rig, 1, (struct rig_descriptor){RIG_DATA, 0, WRITE, 0});
	offer(rig, 0);
	offer(rig, 1);
	serve(rig);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 3);
	set(rig, INTERRUPT_ACK, 1);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 2);
	set(rig, INTERRUPT_ACK, 2);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 0);
}

/* A queue that was taken out of use begins anew, as its rings do. */
static void a_queue_begins_anew(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	set(rig, QUEUE_READY, 0);
	memset(rig->ram.host + RIG_AVAILABLE, 0, RIG_DATA - RIG_AVAILABLE);
	rig->offered = 0;
	set(rig, QUEUE_READY, 1);
	offer(rig, 0);
	serve(rig);
	assert_int_equal(heard.calls, 2);
	assert_int_equal(used_count(rig), 1);
	assert_int_equal(get(rig, STATUS), 0xf);
}

/* The rings' indices are free-running 16 bits: past 65536 requests all is as before. */
static void indices_wrap(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 3, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	for (unsigned i = 0; i < 0x10000 / RIG_SIZE + 1; i++) {
		for (unsigned j = 0; j < RIG_SIZE; j++)
			offer(rig, 3);
		serve(rig);
		assert_int_equal(used_count(rig), rig->offered);
	}
	assert_int_equal(heard.calls, 0x10000 + RIG_SIZE);
	assert_int_equal(get(rig, STATUS), 0xf);
}

static void nothing_is_served_before_its_time(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	set(rig, STATUS, 0);
	serve(rig);
	negotiate(rig);
	set_queue(rig, RIG_SIZE);
	set(rig, QUEUE_READY, 1);
	serve(rig); /* no DRIVER_OK */
	set(rig, STATUS, 0xf);
	set(rig, QUEUE_READY, 0);
	serve(rig);
	assert_int_equal(heard.calls, 0);
	set(rig, QUEUE_READY, 1);
	atomic_store(&rig->stop, true);
	serve(rig);
	assert_int_equal(heard.calls, 0);
	atomic_store(&rig->stop, false);
	serve(rig);
	assert_int_equal(heard.calls, 1);
}

static void interrupts_can_be_declined(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	poke16(rig, RIG_AVAILABLE, 1);
	offer(rig, 0);
	serve(rig);
	assert_int_equal(used_count(rig), 1);
	assert_int_equal(rig->interrupts, 0);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 0);
	poke16(rig, RIG_AVAILABLE, 0);
	offer(rig, 0);
	serve(rig);
	assert_int_equal(rig->interrupts, 1);
	offer(rig, 0);
	serve(rig); /* though the first was not acknowledged */
	assert_int_equal(rig->interrupts, 2);
}

static void notifications_are_declined_only_while_it_looks(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	set(rig, QUEUE_NOTIFY, 0);
	assert_int_equal(rig->notifies, 1);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	heard.offer_to = rig; /* comes without a notification */
	serve(rig);
	assert_int_equal(used_count(rig), 2);
	assert_int_equal(heard.used_flags, 1);
	assert_int_equal(peek16(rig, RIG_USED), 0);
}

/* ---- hostile drivers ---- */

struct bad_chain {
	const char *what;
	uint16_t head;
	struct rig_descriptor d[3]; /* descriptors 0 to 2 */
};

static const struct bad_chain bad_chains[] = {
	{"a head past the queue", RIG_SIZE, {{0}}},
	{"a head far past the queue", 0xffff, {{0}}},
	{"a next past the queue", 0, {{RIG_DATA, 1, NEXT, RIG_SIZE}}},
	{"a loop of one", 0, {{RIG_DATA, 1, NEXT, 0}}},
	{"a loop of two",
	 0,
	 {{RIG_DATA, 1, NEXT, 1}, {RIG_DATA, 1, NEXT | WRITE, 2}, {RIG_DATA, 1, NEXT | WRITE, 1}}},
	{"a buffer without length", 0, {{RIG_DATA, 0, WRITE, 0}}},
	{"a buffer past RAM", 0, {{RIG_BYTES, 1, WRITE, 0}}},
	{"a buffer that ends past RAM", 0, {{RIG_BYTES - 1, 2, WRITE, 0}}},
	{"a buffer of 4 GiB", 0, {{RIG_DATA, UINT32_MAX, 0, 0}}},
	{"a buffer that wraps around", 0, {{UINT64_MAX, 2, WRITE, 0}}},
	{"a second buffer past RAM", 0, {{RIG_DATA, 1, NEXT, 1}, {UINT64_MAX - 7, 8, WRITE, 0}}},
	{"one to read behind one to write",
	 0,
	 {{RIG_DATA, 1, NEXT | WRITE, 1}, {RIG_DATA, 1, 0, 0}}},
	{"an indirect table, which was not offered", 0, {{RIG_DATA, 16, INDIRECT, 0}}},
};

/* It says so by status and interrupt, touches nothing, and comes back after a reset. */
static void is_broken_and_recovers(struct rig *rig, const char *what)
{
	if (heard.calls || used_count(rig) || get(rig, STATUS) != (0xf | NEEDS_RESET) ||
	    get(rig, INTERRUPT_STATUS) != 2 || rig->interrupts != 1)
		fail_msg("%s: served %u, used %u, status %#x, %u interrupts", what, heard.calls,
			 used_count(rig), get(rig, STATUS), rig->interrupts);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	assert_int_equal(heard.calls, 0);
	bring_up(rig);
	assert_int_equal(get(rig, INTERRUPT_STATUS), 0);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	serve(rig);
	assert_int_equal(used_count(rig), 1);
	heard.calls = 0;
}

static void bad_chains_need_a_reset(void **state)
{
	struct rig *rig = *state;

	for (unsigned i = 0; i < ROWS(bad_chains); i++) {
		const struct bad_chain *bad = &bad_chains[i];

		bring_up(rig);
		for (unsigned j = 0; j < ROWS(bad->d); j++)
			describe(rig, j, bad->d[j]);
		describe(rig, RIG_SIZE, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
		offer(rig, bad->head);
		serve(rig);
		is_broken_and_recovers(rig, bad->what);
	}
}

/* On the largest queue there is, a chain's buffers are not to overflow either. */
static void a_loop_on_the_largest_queue(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	set(rig, QUEUE_READY, 0);
	set_queue(rig, VIRTIO_QUEUE_MAX);
	set(rig, QUEUE_READY, 1);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, NEXT, 0});
	offer(rig, 0);
	serve(rig);
	assert_int_equal(heard.calls, 0);
	assert_int_equal(get(rig, STATUS), 0xf | NEEDS_RESET);
}

/* The longest chain that has no loop uses every descriptor. */
static void a_chain_as_long_as_the_queue(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	for (uint16_t i = 0; i < RIG_SIZE; i++)
		describe(rig, i,
			 (struct rig_descriptor){RIG_DATA, 1, i + 1 < RIG_SIZE ? NEXT : 0,
						 (uint16_t)(i + 1)});
	offer(rig, 0);
	serve(rig);
	assert_int_equal(heard.readable, RIG_SIZE);
	assert_int_equal(used_count(rig), 1);
}

static void an_index_that_jumps_needs_a_reset(void **state)
{
	static const uint16_t jumps[] = {RIG_SIZE + 1, 0x8000, 0xffff};
	struct rig *rig = *state;

	for (unsigned i = 0; i < ROWS(jumps); i++) {
		bring_up(rig);
		describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
		poke16(rig, RIG_AVAILABLE + 2, jumps[i]);
		serve(rig);
		is_broken_and_recovers(rig, "an index that jumps");
	}
}

static void a_malformed_request_needs_a_reset(void **state)
{
	struct rig *rig = *state;

	bring_up(rig);
	describe(rig, 0, (struct rig_descriptor){RIG_DATA, 1, WRITE, 0});
	offer(rig, 0);
	heard.malformed = true;
	serve(rig);
	assert_int_equal(used_count(rig), 0);
	assert_int_equal(get(rig, STATUS), 0xf | NEEDS_RESET);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_itself),
		TEST(takes_words_only),
		TEST(offers_its_features_by_halves),
		TEST(agrees_to_what_it_offered),
		TEST(keeps_what_was_agreed),
		TEST(status_bits_stay_until_reset),
		TEST(bad_queues_need_a_reset),
		TEST(queue_before_features),
		TEST(a_queue_in_use_stays_where_it_is),
		TEST(other_queues_are_not_there),
		TEST(serves_a_chain),
		TEST(acknowledges_cause_by_cause),
		TEST(a_queue_begins_anew),
		TEST(indices_wrap),
		TEST(nothing_is_served_before_its_time),
		TEST(interrupts_can_be_declined),
		TEST(notifications_are_declined_only_while_it_looks),
		TEST(bad_chains_need_a_reset),
		TEST(a_loop_on_the_largest_queue),
		TEST(a_chain_as_long_as_the_queue),
		TEST(an_index_that_jumps_needs_a_reset),
		TEST(a_malformed_request_needs_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
