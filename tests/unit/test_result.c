/* The result object: statistics against naive references, fields and types, saving. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/kvm.h>

#include "vmm/config.h"
#include "vmm/error.h"
#include "vmm/measure/host.h"
#include "vmm/measure/record.h"
#include "vmm/report/report.h"
#include "vmm/report/statistics.h"

static uint64_t random_u64(void)
{
	return (((uint64_t)random() << 42) ^ ((uint64_t)random() << 21) ^ random()) >>
	       (random() % 64);
}

/* By the definition: the least value that `percent` of all are not above. */
static uint64_t naive_percentile(const uint64_t *values, unsigned count, unsigned percent)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		unsigned not_above = 0;

		for (unsigned k = 0; k < count; k++)
			not_above += values[k] <= values[i];
		if (not_above * 100 >= percent * count && values[i] < best)
			best = values[i];
	}
	return best;
}

static void percentiles_agree_with_the_definition(void **state)
{
	uint64_t values[150], sorted[150];

	srandom(1);
	for (unsigned round = 0; round < 300; round++) {
		unsigned count = 1 + random() % 150;

		for (unsigned i = 0; i < count; i++)
			values[i] = round & 1 ? random_u64() : (uint64_t)(random() % 9);
		memcpy(sorted, values, sizeof(values));
		sort_values(sorted, count);
		for (unsigned percent = 1; percent <= 100; percent++)
			assert_true(percentile(sorted, count, percent) ==
				    naive_percentile(values, count, percent));
	}
}

static void assert_bucket(uint64_t value)
{
	struct bucket bucket = bucket_of(value);

	assert_true(bucket.from <= value && value <= bucket.to);
	assert_true(bucket.to - bucket.from <= bucket.from / 8);
	assert_true(bucket_of(bucket.from).to == bucket.to);
	assert_true(bucket_of(bucket.to).from == bucket.from);
	if (bucket.to != UINT64_MAX)
		assert_true(bucket_of(bucket.to + 1).from == bucket.to + 1);
}

static void buckets_tile_all_values(void **state)
{
	unsigned buckets = 0;
	uint64_t value = 0;

	for (;; buckets++) {
		struct bucket bucket = bucket_of(value);

		assert_true(bucket.from == value);
		if (bucket.to == UINT64_MAX)
			break;
		value = bucket.to + 1;
	}
	assert_int_equal(buckets + 1, 8 + 61 * 8); /* 0 to 7, then 8 in each of 61 octaves */
	srandom(2);
	for (unsigned i = 0; i < 100000; i++)
		assert_bucket(random_u64());
}

static void mean_does_not_overflow(void **state)
{
	const uint64_t values[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

	assert_true(mean(values, 3) == 18446744073709551616.0);
}

/* ---- the object ------------------------------------------------------------ */

static struct record record;
static struct config config = {.image = "a.iso",
			       .cpus = 2,
			       .mem_bytes = 64 << 20,
			       .pin = {1, -1},
			       .irqchip = IRQCHIP_SPLIT,
			       .pmtimer = PMTIMER_KERNEL,
			       .timeout_ns = 5000000000,
			       .pmtimer_width = 24,
			       .rtc_base_s = -1,
			       .rtc_base_set = true,
			       .clock_steps = {{-3600000000000, 2000000000}},
			       .clock_step_count = 1};
static struct host_facts host = {.kind = HOST_INTERPRETING,
				 .cpu = {.model = "CPU"},
				 .kernel = "6.1",
				 .cpus = 2,
				 .load = {0.5, 1, 2},
				 .governor = "none",
				 .kvm_parameters = {{"halt_poll_ns", "200000"}},
				 .kvm_parameter_count = 1};

static void fill_counts(void)
{
	record.port_names[0] = "unclaimed";
	record.port_names[1] = "pmtimer";
	record.port_bases[1] = 0x608;
	record.mmio_names[0] = "unclaimed";
	record.exits.reason[KVM_EXIT_IO] = 12;
	record.exits.reason[KVM_EXIT_MMIO] = 1;
	record.exits.reason[RECORD_EXIT_REASONS - 1] = 1;
	record.exits.port_in[1] = 12;
	record.exits.mmio_read[0] = 1;
	record.vcpu_stats.stats = calloc(1, sizeof(struct kvm_stat));
	record.vcpu_stats.count = 1;
	strcpy(record.vcpu_stats.stats[0].name, "exits");
	record.vcpu_stats.stats[0].value = 99;
	record.times = (struct run_times){1, 2, 3, 4, 5};
	record.boot_instructions = 9000;
	record.timers[0] = (struct record_timer){.name = "idle"};
	record.timers[1] = (struct record_timer){
		.name = "rtc", .wakeups = 4, .late_sum_ns = 10, .late_max_ns = 7};
	record.timer_count = 2;
	record.rtc_ticks.due = 10;
	record.rtc_ticks.delivered = 5;
	record.rtc_ticks.owed = 3;
	record.rtc_ticks.dropped = 2;
}

static int setup(void **state)
{
	const struct phase known = {.name = "known",
				    .operations = 4,
				    .exits.reason = {[KVM_EXIT_IO] = 6},
				    .vcpu_cpu_ns = 10,
				    .kvm_exits = 8,
				    .kvm_exits_known = true,
				    .guest_instructions = 40};
	const struct phase unknown = {.name = "unknown", .operations = 0};
	const struct check check = {.name = "c", .status = CHECK_OK};
	uint64_t values[1000];

	record_init(&record);
	strcpy(record.image, "caf\xc3"); /* cut within a character */
	strcpy(record.cmdline, "app=x");
	strcpy(record.backend, "tickvm");
	fill_counts();
	srandom(3);
	for (unsigned i = 0; i < 1000; i++)
		values[i] = random_u64();
	values[500] = UINT64_MAX; /* more than a JSON integer can be */
	record_samples(&record, "m", "ns", values, 1000, 8);
	record_samples(&record, "empty", "ns", values, 0, 8);
	record_phase(&record, &known);
	record_phase(&record, &unknown);
	record_check(&record, &check);
	record.guest_code = 0;
	record.planned = 1;
	return 0;
}

static int teardown(void **state)
{
	record_free(&record);
	return 0;
}

/* Built, written as text and read back: what a user of the file sees. */
static json_t *built_and_read_back(const struct config *c, const struct host_facts *h)
{
	json_t *built = result_build(&record, c, h), *read;
	char *text;

	assert_non_null(built);
	text = json_dumps(built, JSON_INDENT(2));
	assert_non_null(text);
	read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(read);
	assert_int_equal(result_exit_code(read), 0);
	free(text);
	json_decref(built);
	return read;
}

/* The value at a path: "a.b.0.c". */
static const json_t *at(const json_t *value, const char *path)
{
	char key[64];

	for (; *path; path += strcspn(path, "."), path += *path == '.') {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(path, "."), path);
		value = json_is_array(value) ? json_array_get(value, atoi(key))
					     : json_object_get(value, key);
		if (!value)
			fail_msg("no field %s", path);
	}
	return value;
}

static void each_field_has_its_type(void **state)
{
	static const struct {
		json_type type;
		const char *paths;
	} types[] = {
		{JSON_STRING, "schema tickvm.version tickvm.revision guest.image guest.cmdline "
			      "host.kind host.cpu host.kernel host.governor backend "
			      "host.kvm_parameters.halt_poll_ns options.image options.irqchip "
			      "options.pmtimer options.rtc_clock options.rtc_driftfix "
			      "options.timer_thread options.raise_lock timers.1.name "
			      "exits.ports.0.name exits.mmio.0.name checks.0.name checks.0.status "
			      "checks.0.detail metrics.0.name metrics.0.unit phases.0.name "
			      "verdict.status verdict.reason"},
		{JSON_INTEGER,
		 "host.cpus options.cpus options.mem_bytes options.pin.0 options.timeout_ns "
		 "options.pmtimer_width options.rtc_base_s options.rtc_offset_s times_ns.setup "
		 "times_ns.boot times_ns.clock timers.0.wakeups timers.1.late_ns_max "
		 "rtc_ticks.due rtc_ticks.delivered rtc_ticks.owed rtc_ticks.dropped "
		 "options.host_clock_steps.0.step_ns options.host_clock_steps.0.at_ns "
		 "times_ns.run times_ns.close boot_instructions exits.total exits.by_reason.io "
		 "exits.by_reason.reason_63 exits.ports.0.port exits.ports.0.in exits.ports.0.out "
		 "exits.mmio.0.read exits.mmio.0.write kvm_stats.vcpu.exits cpu_ns.vcpu_user "
		 "cpu_ns.vcpu_system cpu_ns.vmm_user cpu_ns.vmm_system memory_kib.max_rss "
		 "planned metrics.0.n metrics.0.min metrics.0.p50 "
		 "metrics.0.p90 metrics.0.p99 metrics.0.max metrics.0.histogram.0.from "
		 "metrics.0.histogram.0.to metrics.0.histogram.0.n phases.0.operations "
		 "phases.0.wall_ns phases.0.vcpu_cpu_ns phases.0.kvm_exits "
		 "phases.0.guest_instructions phases.0.exits.total verdict.exit_code"},
		{JSON_REAL, "host.load.0 host.load.2 metrics.0.mean timers.1.late_ns_mean "
			    "phases.0.per_operation.exits_to_userspace "
			    "phases.0.per_operation.kvm_exits phases.0.per_operation.cpu_ns "
			    "phases.0.per_operation.instructions"},
		{JSON_NULL, "guest.revision guest.abi options.cmdline options.entry options.json "
			    "memory_kib.besides_ram timers.0.late_ns_mean timers.0.late_ns_max "
			    "options.pin.1 phases.1.kvm_exits phases.1.guest_instructions "
			    "phases.1.per_operation.exits_to_userspace"},
		{JSON_FALSE, "options.verbose options.quiet options.virtual_time"},
		{JSON_ARRAY, "notes"},
		{JSON_OBJECT, "kvm_stats.vm"},
	};
	json_t *result = built_and_read_back(&config, &host);

	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		for (const char *p = types[i].paths; *p; p += strcspn(p, " "), p += *p == ' ') {
			char path[64];

			snprintf(path, sizeof(path), "%.*s", (int)strcspn(p, " "), p);
			if (json_typeof(at(result, path)) != types[i].type)
				fail_msg("%s has another type", path);
		}
	}
	json_decref(result);
}

static json_int_t integer_at(const json_t *result, const char *path)
{
	return json_integer_value(at(result, path));
}

static void values_are_the_records(void **state)
{
	json_t *result = built_and_read_back(&config, &host);
	const json_t *bucket;
	json_int_t sum = 0, last = -1;
	size_t i;

	assert_string_equal(json_string_value(at(result, "schema")), "tickvm-result/1");
	assert_string_equal(json_string_value(at(result, "guest.image")), "caf?");
	assert_string_equal(json_string_value(at(result, "options.irqchip")), "split");
	assert_string_equal(json_string_value(at(result, "options.pmtimer")), "kernel");
	assert_int_equal(integer_at(result, "options.rtc_base_s"), -1);
	assert_int_equal(integer_at(result, "options.host_clock_steps.0.step_ns"), -3600000000000);
	assert_int_equal(integer_at(result, "rtc_ticks.owed"), 3);
	assert_true(json_real_value(at(result, "timers.1.late_ns_mean")) == 2.5);
	assert_int_equal(integer_at(result, "exits.total"), 14);
	assert_int_equal(integer_at(result, "exits.ports.0.port"), 0x608);
	assert_int_equal(json_array_size(at(result, "exits.ports")), 1);
	assert_int_equal(json_array_size(at(result, "metrics")), 1); /* not the empty one */
	assert_true(json_real_value(at(result, "phases.0.per_operation.exits_to_userspace")) ==
		    1.5);
	assert_true(json_real_value(at(result, "phases.0.per_operation.instructions")) == 10);
	json_array_foreach (at(result, "metrics.0.histogram"), i, bucket) {
		assert_true(integer_at(bucket, "n") > 0);
		assert_true(integer_at(bucket, "from") > last);
		last = integer_at(bucket, "to");
		sum += integer_at(bucket, "n");
	}
	assert_int_equal(sum, 1000);
	assert_true(integer_at(result, "metrics.0.max") == INT64_MAX && last == INT64_MAX);
	json_decref(result);
}

static void a_guest_elsewhere_has_no_counts(void **state)
{
	json_t *result = built_and_read_back(NULL, NULL);

	assert_true(json_is_null(at(result, "host")));
	assert_true(json_is_null(at(result, "options")));
	assert_true(json_is_null(at(result, "exits")));
	assert_true(json_is_null(at(result, "cpu_ns")));
	json_decref(result);
}

static void losses_are_noted(void **state)
{
	json_t *result;

	record.damaged_lines = 2;
	record.arrays_lost = 1;
	result = built_and_read_back(&config, &host);
	assert_int_equal(json_array_size(at(result, "notes")), 2);
	assert_string_equal(json_string_value(at(result, "notes.0")),
			    "damaged lines of the guest, not used: 2");
	json_decref(result);
}

/* ---- saving ---------------------------------------------------------------- */

static char directory[] = "/tmp/tickvm-test-XXXXXX";
static char path[64];

static int make_directory(void **state)
{
	strcpy(strrchr(directory, '-'), "-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/result.json", directory);
	return 0;
}

/* Fails when a test, or what it tests, has left something behind. */
static int remove_directory(void **state)
{
	return rmdir(directory);
}

static void saved_over_the_old_one(void **state)
{
	json_t *result = json_pack("{s:i}", "a", 1), *read;
	struct error e;
	struct stat stat;

	assert_int_equal(result_save(result, path, &e), 0);
	assert_int_equal(result_save(result, path, &e), 0);
	read = json_load_file(path, 0, NULL);
	assert_true(json_equal(read, result));
	assert_int_equal(lstat(path, &stat), 0);
	assert_int_equal(stat.st_mode & 0777, 0644);
	assert_int_equal(unlink(path), 0);
	json_decref(read);
	json_decref(result);
}

/* By a link: should the device be taken for a file, only the link is replaced. */
static void a_full_device_stays_one(void **state)
{
	json_t *result = json_pack("{s:i}", "a", 1);
	struct error e;
	struct stat stat;

	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(result_save(result, path, &e), -1);
	assert_int_equal(e.exit_code, 1);
	assert_non_null(strstr(e.text, "/result.json: No space left on device"));
	assert_int_equal(lstat(path, &stat), 0);
	assert_true(S_ISLNK(stat.st_mode));
	assert_int_equal(unlink(path), 0);
	json_decref(result);
}

static void nothing_is_left_when_it_cannot_be_saved(void **state)
{
	json_t *result = json_pack("{s:i}", "a", 1);
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	struct error e;

	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none); /* a full disk, as far as a file is concerned */
	assert_int_equal(result_save(result, path, &e), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(e.text, "/result.json: File too large"));
	assert_int_equal(result_save(result, "/nonexistent/result.json", &e), -1);
	assert_string_equal(e.text, "cannot write the result to /nonexistent/result.json: "
				    "No such file or directory");
	json_decref(result);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
#define SAVE_TEST(name) cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_agree_with_the_definition),
		cmocka_unit_test(buckets_tile_all_values),
		cmocka_unit_test(mean_does_not_overflow),
		TEST(each_field_has_its_type),
		TEST(values_are_the_records),
		TEST(a_guest_elsewhere_has_no_counts),
		TEST(losses_are_noted),
		SAVE_TEST(saved_over_the_old_one),
		SAVE_TEST(a_full_device_stays_one),
		SAVE_TEST(nothing_is_left_when_it_cannot_be_saved),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
