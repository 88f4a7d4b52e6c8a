/* The way out of a raw terminal: what Ctrl-A and the next key do to what was typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmm/terminal.h"

#define A "\x01"

static const struct {
	const char *typed, *left;
	enum terminal_command command;
	bool escaped; /* after it */
} cases[] = {
	{"", "", TERMINAL_NONE, false},
	{"xX hH", "xX hH", TERMINAL_NONE, false},
	{"\x03\x04\x1a", "\x03\x04\x1a", TERMINAL_NONE, false}, /* Ctrl-C, -D, -Z are the guest's */
	{A "x", "", TERMINAL_STOP, false},
	{A "X", "", TERMINAL_STOP, false},
	{A "h", "", TERMINAL_HELP, false},
	{A "H", "", TERMINAL_HELP, false},
	{"ab" A "xcd", "abcd", TERMINAL_STOP, false},
	{"ab" A "hcd", "abcd", TERMINAL_HELP, false},
	{A "hx", "x", TERMINAL_HELP, false},
	{A "h" A "x", "", TERMINAL_STOP, false},
	{A "x" A "h", "", TERMINAL_STOP, false},
	{A A, A, TERMINAL_NONE, false},
	{A A "x", A "x", TERMINAL_NONE, false},
	{A A A, A, TERMINAL_NONE, true},
	{A A A "x", A, TERMINAL_STOP, false},
	{A "qx", "x", TERMINAL_NONE, false},
	{"ab" A, "ab", TERMINAL_NONE, true},
};

static void escapes(void **state)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct terminal_keys keys = {0};
		unsigned count = (unsigned)strlen(cases[i].typed);
		uint8_t bytes[16] = {0};

		memcpy(bytes, cases[i].typed, count);
		assert_int_equal(terminal_filter(&keys, bytes, &count), cases[i].command);
		assert_int_equal(count, strlen(cases[i].left));
		assert_memory_equal(bytes, cases[i].left, count);
		assert_int_equal(keys.escaped, cases[i].escaped);
	}
}

/* The same, a key at a time, as a person types. */
static void a_key_at_a_time(void **state)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum terminal_command last = TERMINAL_NONE;
		struct terminal_keys keys = {0};
		unsigned left = 0;

		for (const char *key = cases[i].typed; *key; key++) {
			uint8_t byte = (uint8_t)*key;
			unsigned count = 1;
			enum terminal_command command = terminal_filter(&keys, &byte, &count);

			if (command != TERMINAL_NONE && last != TERMINAL_STOP)
				last = command;
			if (count)
				assert_int_equal(byte, cases[i].left[left]);
			left += count;
		}
		assert_int_equal(left, strlen(cases[i].left));
		assert_int_equal(last, cases[i].command);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(a_key_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
