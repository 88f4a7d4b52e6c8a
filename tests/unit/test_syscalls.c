/* System calls: entries paired with returns, strace's table, and calls that this test makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "vmm/error.h"
#include "vmm/measure/syscalls.h"
#include "vmm/measure/syscalls_pairs.h"
#include "vmm/measure/syscalls_strace.h"

#define CALLS	   1000
#define FUTEX_MOST 20 /* that starting and joining a thread may make */
#define POLL_MS	   20
#define NS_PER_MS  1000000

struct pairs_rig {
	struct syscall_table table;
	struct syscall_pairs pairs;
};

static const struct syscall_count *count_of(const struct syscall_table *table, unsigned number)
{
	return &table->counts[number];
}

static void enter(struct pairs_rig *rig, uint32_t thread, int64_t number, uint64_t time_ns)
{
	syscall_entered(&rig->pairs, thread, number, time_ns);
}

static void leave(struct pairs_rig *rig, uint32_t thread, int64_t number, int64_t result,
		  uint64_t time_ns)
{
	syscall_returned(&rig->pairs, thread, number, result, time_ns, &rig->table);
}

static void pairs_of_threads_overlap(void **state)
{
	struct pairs_rig rig = {0};

	(void)state;
	enter(&rig, 1, SYS_poll, 100);
	enter(&rig, 2, SYS_poll, 150);
	leave(&rig, 1, SYS_poll, 0, 400);
	leave(&rig, 2, SYS_poll, 1, 160);
	assert_int_equal(count_of(&rig.table, SYS_poll)->calls, 2);
	assert_int_equal(count_of(&rig.table, SYS_poll)->errors, 0);
	assert_int_equal(count_of(&rig.table, SYS_poll)->ns, 310);
}

static void a_return_without_its_entry_has_no_time(void **state)
{
	struct pairs_rig rig = {0};

	(void)state;
	leave(&rig, 1, SYS_read, -4, 500);
	enter(&rig, 1, SYS_read, 600);
	leave(&rig, 1, SYS_write, 8, 700);
	leave(&rig, 1, SYS_read, 8, 800);
	assert_int_equal(count_of(&rig.table, SYS_read)->calls, 2);
	assert_int_equal(count_of(&rig.table, SYS_read)->errors, 1);
	assert_int_equal(count_of(&rig.table, SYS_read)->ns, 0);
	assert_int_equal(count_of(&rig.table, SYS_write)->ns, 0);
}

static void numbers_beyond_the_table_are_left_out(void **state)
{
	static const struct pairs_rig empty;
	struct pairs_rig rig = {0};

	(void)state;
	leave(&rig, 1, -1, 0, 1);
	leave(&rig, 1, SYSCALLS_MAX, 0, 1);
	assert_memory_equal(&rig.table, &empty.table, sizeof(rig.table));
}

static void threads_beyond_the_table_are_counted(void **state)
{
	struct pairs_rig rig = {0};

	(void)state;
	for (uint32_t thread = 0; thread < SYSCALLS_THREADS_MAX + 5; thread++) {
		enter(&rig, thread, SYS_read, 10);
		leave(&rig, thread, SYS_read, 0, 12);
	}
	assert_int_equal(count_of(&rig.table, SYS_read)->calls, SYSCALLS_THREADS_MAX + 5);
	assert_int_equal(count_of(&rig.table, SYS_read)->ns, 2 * SYSCALLS_THREADS_MAX);
}

static void strace_prints_a_table(void **state)
{
	static char text[] = "seconds           calls    errors syscall\n"
			     "----------- --------- --------- ----------------\n"
			     "   1.975591       148           poll\n"
			     "   0.000125        43         3 futex\n"
			     "   0.000001         1           no_such_call\n"
			     "----------- --------- --------- ----------------\n"
			     "   1.975717       192         3 total\n";
	struct syscall_table table = {0};
	uint64_t calls = 0;
	FILE *output = fmemopen(text, strlen(text), "r");

	(void)state;
	syscalls_strace_parse(output, &table);
	fclose(output);
	for (unsigned i = 0; i < SYSCALLS_MAX; i++)
		calls += table.counts[i].calls;
	assert_int_equal(calls, 148 + 43);
	assert_int_equal(table.lost, 0);
	assert_int_equal(count_of(&table, SYS_poll)->ns / 1000, 1975591);
	assert_int_equal(count_of(&table, SYS_poll)->errors, 0);
	assert_int_equal(count_of(&table, SYS_futex)->calls, 43);
	assert_int_equal(count_of(&table, SYS_futex)->errors, 3);
}

static void strace_that_was_killed_prints_none(void **state)
{
	static char text[] = "\n";
	struct syscall_table table = {0};
	FILE *output = fmemopen(text, strlen(text), "r");

	(void)state;
	syscalls_strace_parse(output, &table);
	fclose(output);
	assert_int_equal(table.lost, 1);
}

static void calls_have_names(void **state)
{
	(void)state;
	assert_string_equal(syscall_name(SYS_futex), "futex");
	assert_string_equal(syscall_name(SYS_read), "read");
	assert_null(syscall_name(SYSCALLS_MAX - 1));
	assert_null(syscall_name(SYSCALLS_MAX));
}

static void *make_calls(void *opaque)
{
	uint32_t word = 0;

	for (unsigned i = 0; i < CALLS; i++) {
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		syscall(SYS_sched_yield);
		syscall(SYS_dup, -1);
	}
	return opaque;
}

/* As the VMM is metered: threads that begin after the metering did, and the main one. */
static void make_known_calls(enum syscalls_method method, struct syscalls *syscalls)
{
	struct error e;
	pthread_t thread;

	if (syscalls_start(syscalls, method, &e)) {
		assert_int_equal(e.exit_code, TK_EXIT_SKIPPED);
		print_message("%s\n", e.text);
		syscalls_free(syscalls);
		skip();
	}
	assert_int_equal(pthread_create(&thread, NULL, make_calls, NULL), 0);
	make_calls(NULL);
	poll(NULL, 0, POLL_MS);
	pthread_join(thread, NULL);
	syscalls_stop(syscalls);
}

static void meters_known_calls(enum syscalls_method method)
{
	struct syscalls syscalls = {0};
	const struct syscall_table *table;

	make_known_calls(method, &syscalls);
	table = syscalls.table;
	assert_int_equal(syscalls.method, method);
	assert_int_equal(table->lost, 0);
	assert_int_equal(count_of(table, SYS_sched_yield)->calls, 2 * CALLS);
	assert_int_equal(count_of(table, SYS_sched_yield)->errors, 0);
	assert_int_equal(count_of(table, SYS_dup)->calls, 2 * CALLS);
	assert_int_equal(count_of(table, SYS_dup)->errors, 2 * CALLS);
	assert_in_range(count_of(table, SYS_futex)->calls, 2 * CALLS, 2 * CALLS + FUTEX_MOST);
	assert_int_equal(count_of(table, SYS_poll)->calls, 1);
	assert_true(count_of(table, SYS_poll)->ns >= POLL_MS * NS_PER_MS);
	assert_int_equal(count_of(table, SYS_getppid)->calls, 0);
	assert_true(syscalls.overhead_ns > 0);
	syscalls_free(&syscalls);
}

static void tracepoints_count_each_call(void **state)
{
	(void)state;
	meters_known_calls(SYSCALLS_TRACEPOINTS);
}

static void strace_counts_each_call(void **state)
{
	(void)state;
	meters_known_calls(SYSCALLS_STRACE);
}

static void a_reader_that_was_killed_is_told(void **state)
{
	struct syscalls syscalls = {0};
	struct error e;

	(void)state;
	if (syscalls_start(&syscalls, SYSCALLS_TRACEPOINTS, &e)) {
		syscalls_free(&syscalls);
		skip();
	}
	kill(syscalls.reader, SIGKILL);
	syscalls_stop(&syscalls);
	assert_int_equal(syscalls.table->lost, 1);
	syscalls_free(&syscalls);
}

static void without_strace_its_error_is_told(void **state)
{
	struct syscalls syscalls = {0};
	struct error e;

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(syscalls_start(&syscalls, SYSCALLS_STRACE, &e), -1);
	assert_int_equal(e.exit_code, TK_EXIT_SKIPPED);
	assert_non_null(strstr(e.text, "strace: No such file or directory"));
	syscalls_free(&syscalls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_threads_overlap),
		cmocka_unit_test(a_return_without_its_entry_has_no_time),
		cmocka_unit_test(numbers_beyond_the_table_are_left_out),
		cmocka_unit_test(threads_beyond_the_table_are_counted),
		cmocka_unit_test(strace_prints_a_table),
		cmocka_unit_test(strace_that_was_killed_prints_none),
		cmocka_unit_test(calls_have_names),
		cmocka_unit_test(tracepoints_count_each_call),
		cmocka_unit_test(strace_counts_each_call),
		cmocka_unit_test(a_reader_that_was_killed_is_told),
		cmocka_unit_test(without_strace_its_error_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
