/*
 * The tests of the patch series in vmm/kvm/, to be run on the kernel that they
 * are for; prints TAP. On a kernel without the series each is skipped.
 *
 * usage: kvm_series [PREFIX]   the tests, or those whose names begin so
 *        kvm_series rtc-cost   what a CMOS clock costs: see vmm/kvm/README.md
 *
 * A test runs in a process of its own, so that one that dies or hangs fails alone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lab/kvm_series.h"

#define TEST_TIMEOUT_S 600 /* by far: under an emulator, beside others */

static void print(const char *format, va_list arguments)
{
	printf("# ");
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
}

void test_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

void test_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
	_exit(1);
}

static const char *capability_name(int capability)
{
	return capability == KVM_CAP_PMTIMER ? "KVM_CAP_PMTIMER" : "KVM_CAP_HALT_POLL_TIMER";
}

static bool passes(const struct test *test)
{
	pid_t pid = fork();
	int status;

	if (pid < 0) {
		test_note("fork: %s", strerror(errno));
		return false;
	}
	if (!pid) {
		alarm(TEST_TIMEOUT_S);
		test->run();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		test_note("ended by signal %d", WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct totals {
	int done, failed;
};

static void run_test(const struct test *test, struct totals *totals)
{
	bool passed;

	totals->done++;
	if (ioctl(test_kvm(), KVM_CHECK_EXTENSION, test->capability) <= 0) {
		printf("ok %d %s # SKIP %s is missing\n", totals->done, test->name,
		       capability_name(test->capability));
		return;
	}
	passed = passes(test);
	printf("%s %d %s\n", passed ? "ok" : "not ok", totals->done, test->name);
	totals->failed += !passed;
}

static struct totals run_tests(const char *prefix)
{
	const struct test *const tables[] = {pmtimer_tests, pmtimer_time_tests, halt_tests};
	struct totals totals = {0, 0};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (const struct test *t = tables[i]; t->name; t++) {
			if (!strncmp(t->name, prefix, strlen(prefix)))
				run_test(t, &totals);
		}
	}
	return totals;
}

int main(int argc, char **argv)
{
	struct totals totals;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (test_kvm() < 0) {
		printf("1..0 # SKIP /dev/kvm: %s\n", strerror(errno));
		return 77;
	}
	if (argc > 1 && !strcmp(argv[1], "rtc-cost")) {
		rtc_cost();
		return EXIT_SUCCESS;
	}
	totals = run_tests(argc > 1 ? argv[1] : "");
	printf("1..%d\n", totals.done);
	return totals.failed || !totals.done ? EXIT_FAILURE : EXIT_SUCCESS;
}
