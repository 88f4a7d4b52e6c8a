/* The summary: the text for a fixed result object, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/report/quantity.h"
#include "vmm/report/report.h"

static const char result_text[] =
	"{'schema': 'tickvm-result/1',"
	" 'guest': {'image': 'tickvm.iso', 'revision': 'v1', 'abi': 1, 'cmdline': 'app=smoke'},"
	" 'host': {'kind': 'interpreting KVM', 'cpu': 'AMD EPYC', 'kernel': '6.18.44', 'cpus': 2,"
	"  'load': [0.5, 0.4, 0.3], 'governor': 'none', 'kvm_parameters': {}},"
	" 'options': {'cpus': 2, 'mem_bytes': 67108864, 'irqchip': 'split', 'pmtimer': 'kernel'},"
	" 'backend': 'tickvm',"
	" 'times_ns': {'setup': 6210000, 'boot': 9876543, 'run': 1234567890, 'close': 980},"
	" 'boot_instructions': 9300,"
	" 'exits': {'total': 130, 'by_reason': {'io': 120, 'mmio': 10},"
	"  'ports': [{'name': 'com1', 'port': 1016, 'in': 20, 'out': 90},"
	"            {'name': 'pmtimer', 'port': 1544, 'in': 10, 'out': 0}],"
	"  'mmio': [{'name': 'pair', 'read': 10, 'write': 0}]},"
	" 'kvm_stats': {'vm': {'mmu_pte_write': 0}, 'vcpu': {'exits': 150, 'pf_taken': 3,"
	"  'halt_exits': 0, 'insn_emulation': 123456}},"
	" 'cpu_ns': {'vcpu_user': 1000000, 'vcpu_system': 250000000, 'vmm_user': 999,"
	"  'vmm_system': 0},"
	" 'memory_kib': {'max_rss': 9000, 'besides_ram': 5000}, 'planned': 4,"
	" 'checks': [{'name': 'cpu', 'status': 'ok', 'detail': ''},"
	"  {'name': 'kvmclock', 'status': 'skipped', 'detail': 'no KVM'},"
	"  {'name': 'rtc', 'status': 'failed', 'detail': 'UIP never set'},"
	"  {'name': 'lapic', 'status': 'ok', 'detail': ''}],"
	" 'metrics': [{'name': 'pmtimer.read', 'unit': 'ns', 'n': 1000, 'min': 3901, 'p50': 4012,"
	"   'p90': 4200, 'p99': 98765, 'max': 4123456},"
	"  {'name': 'wake', 'unit': 'ns', 'n': 3, 'min': 12, 'p50': 700, 'p90': 800, 'p99': 800,"
	"   'max': 800},"
	"  {'name': 'tsc', 'unit': 'tsc', 'n': 10, 'min': 12345678901, 'p50': 12345678902,"
	"   'p90': 12345678903, 'p99': 12345678904, 'max': 12345678905}],"
	" 'phases': [{'name': 'port.null', 'operations': 1000, 'per_operation':"
	"   {'exits_to_userspace': 1.0, 'kvm_exits': 1.01, 'cpu_ns': 4010.4, 'instructions': 3.0}},"
	"  {'name': 'empty', 'operations': 1000, 'per_operation':"
	"   {'exits_to_userspace': 0.0, 'kvm_exits': null, 'cpu_ns': 12.3456,"
	"    'instructions': null}}],"
	" 'notes': ['phases past the limit, not kept: 2'],"
	" 'verdict': {'status': 'fail', 'exit_code': 1, 'reason': '1 of 4 checks failed: rtc'}}";

/* Lines as they are printed. */
/* clang-format off */
static const char golden[] =
	"\n"
	"guest    tickvm.iso, revision v1, app=smoke\n"
	"host     interpreting KVM, AMD EPYC, 2 CPUs, load 0.50, Linux 6.18.44\n"
	"machine  2 CPUs, 64 MiB, irqchip split, pmtimer kernel\n"
	"checks   2 ok, 1 failed, 1 skipped, 4 planned\n"
	"  failed   rtc: UIP never set\n"
	"  skipped  kvmclock: no KVM\n"
	"\n"
	"  metric           n          min          p50          p90          p99          max  unit\n"
	"  pmtimer.read  1000        3.901        4.012        4.200        98.77         4123    us\n"
	"  wake             3           12          700          800          800          800    ns\n"
	"  tsc             10  12345678901  12345678902  12345678903  12345678904  12345678905   tsc\n"
	"\n"
	"  phase      operations  user exits/op  KVM exits/op  CPU ns/op  instructions/op\n"
	"  port.null        1000          1.000         1.010       4010            3.000\n"
	"  empty            1000          0.000             -      12.35                -\n"
	"\n"
	"exits    130 to userspace, io 120, mmio 10\n"
	"ports    com1 0x3f8 in 20 out 90, pmtimer 0x608 in 10 out 0\n"
	"MMIO     pair read 10 write 0\n"
	"KVM      exits 150, insn_emulation 123456\n"
	"CPU      vCPUs 1.000 ms user, 250.0 ms system; VMM 999 ns user, 0 ns system\n"
	"times    set-up 6.210 ms, boot 9.877 ms (9300 instructions), run 1.235 s, close 980 ns\n"
	"memory   9000 KiB resident, 5000 KiB besides guest RAM\n"
	"\n"
	"note     phases past the limit, not kept: 2\n"
	"FAIL  1 of 4 checks failed: rtc  (host: interpreting KVM)\n";
/* clang-format on */

static json_t *fixed_result(void)
{
	char text[sizeof(result_text)];
	json_t *result;

	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = result_text[i] == '\'' ? '"' : result_text[i];
	result = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(result);
	return result;
}

/* The summary as a string; the caller frees it. */
static char *printed(const json_t *result, bool verbose, bool colour)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	summary_print(result, out, verbose, colour);
	fclose(out);
	return text;
}

static void summary_is_golden(void **state)
{
	json_t *result = fixed_result();
	char *text = printed(result, false, false);

	assert_string_equal(text, golden);
	free(text);
	json_decref(result);
}

static void verbose_lists_all(void **state)
{
	json_t *result = fixed_result();
	char *text = printed(result, true, false);

	assert_non_null(strstr(text, "  failed   rtc: UIP never set\n"
				     "  skipped  kvmclock: no KVM\n"
				     "  ok       cpu\n"
				     "  ok       lapic\n"));
	assert_non_null(strstr(text, "pf_taken 3, halt_exits 0, insn_emulation 123456, "
				     "mmu_pte_write 0\n"));
	free(text);
	json_decref(result);
}

static void colour_only_when_asked(void **state)
{
	json_t *result = fixed_result();
	char *plain = printed(result, false, false), *coloured = printed(result, false, true);

	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(coloured, "\033[1;31mFAIL\033[0m  1 of 4"));
	free(plain);
	free(coloured);
	json_decref(result);
}

/* Many checks do not push the verdict's context off the screen; long lists wrap. */
static void long_lists_are_cut_and_wrapped(void **state)
{
	json_t *result = fixed_result();
	json_t *reasons = json_object_get(json_object_get(result, "exits"), "by_reason");
	char name[32], *text;
	unsigned shown = 0;

	for (unsigned i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "reason_number_%u", i);
		json_object_set_new(reasons, name, json_integer(1));
		json_array_append_new(json_object_get(result, "checks"),
				      json_pack("{s:s, s:s, s:s}", "name", name, "status", "failed",
						"detail", ""));
	}
	text = printed(result, false, false);
	assert_non_null(strstr(text, "  ... and 11 more failed (--verbose shows them)\n"));
	for (char *line = text; *line; line += strcspn(line, "\n") + 1) {
		assert_true(strcspn(line, "\n") <= 100);
		shown += !strncmp(line, "  failed", 8);
	}
	assert_int_equal(shown, 20);
	free(text);
	json_decref(result);
}

/* A result of `tickvm parse` has no host and no costs. */
static void without_a_host(void **state)
{
	json_t *result = json_pack("{s:n, s:n, s:s, s:[], s:{s:s, s:i, s:s}}", "host", "cpu_ns",
				   "backend", "serial text", "checks", "verdict", "status", "pass",
				   "exit_code", 0, "reason", "exit code 0, no checks");
	char *text = printed(result, false, false);

	assert_string_equal(text, "\nguest    unknown image\n\n"
				  "PASS  exit code 0, no checks  (from serial text)\n");
	free(text);
	json_decref(result);
}

static void quantities_have_four_digits(void **state)
{
	assert_string_equal(quantity_number(0).text, "0.000");
	assert_string_equal(quantity_number(9.99949).text, "9.999");
	assert_string_equal(quantity_number(9.9996).text, "10.00");
	assert_string_equal(quantity_number(99.996).text, "100.0");
	assert_string_equal(quantity_number(1234567.8).text, "1234568");
	assert_string_equal(quantity_time(0).text, "0 ns");
	assert_string_equal(quantity_time(999).text, "999 ns");
	assert_string_equal(quantity_time(1000).text, "1.000 us");
	assert_string_equal(quantity_time(6210000).text, "6.210 ms");
	assert_string_equal(quantity_time(75e9).text, "75.00 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_is_golden),
		cmocka_unit_test(verbose_lists_all),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(long_lists_are_cut_and_wrapped),
		cmocka_unit_test(without_a_host),
		cmocka_unit_test(quantities_have_four_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
