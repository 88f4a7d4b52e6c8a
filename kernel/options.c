/*
 * The command line: `app=NAME key=value …`, split before the drivers are probed, so
 * that they can ask for their keys, and checked whole before the app runs. The last
 * of two equal keys counts.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "boot.h"
#include "clock.h"
#include "irq_dispatch.h"

#define OPTIONS_MAX 32
#define DEFAULT_APP "smoke"

static struct option {
	const char *key, *value;
} options[OPTIONS_MAX];
static unsigned option_count;
static bool too_many;
static char line[BOOT_CMDLINE_SIZE];

static const struct app_key kernel_keys[] = {
	{"apic", "xapic or x2apic (default x2apic where there is one)"},
	{"app", "the app to run (default " DEFAULT_APP ")"},
	{"clock", "the clock source (default the best there is)"},
	{"idle", "halt or poll (default halt)"},
	{"virtio_mmio.device", "SIZE@BASE:GSI of a device, which the hypervisor adds"},
#ifdef TICKVM_MUTANTS
	{"mutant", "a known-bad behaviour to switch on"},
#endif
	{NULL, NULL},
};

void app_exit(int code, const char *format, ...)
{
	va_list arguments;

	printf("tickvm: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	exit(code);
}

const char *app_option(const char *key)
{
	for (unsigned i = option_count; i-- > 0;)
		if (strcmp(options[i].key, key) == 0)
			return options[i].value;
	return NULL;
}

uint64_t app_number(const char *key, uint64_t fallback, uint64_t min, uint64_t max)
{
	const char *text = app_option(key);
	bool hexadecimal;
	uint64_t value;
	char *end;

	if (!text)
		return fallback;
	hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	value = strtoull(text, &end, hexadecimal ? 16 : 10);
	/* strtoull takes blanks and signs; a number here begins with a digit. */
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < min || value > max)
		app_exit(TK_EXIT_USAGE, "%s=%s: a number from %llu to %llu", key, text,
			 (unsigned long long)min, (unsigned long long)max);
	return value;
}

/* Cuts the word at `at` into key and value; returns its end. */
static char *split_word(struct option *option, char *at)
{
	option->key = at;
	option->value = NULL;
	for (; *at && *at != ' ' && *at != '\t'; at++)
		if (*at == '=' && !option->value) {
			*at = 0;
			option->value = at + 1;
		}
	if (!option->value)
		option->value = at; /* the blank or the end, soon a NUL */
	return at;
}

void options_split(void)
{
	char *at = line;

	strlcpy(line, bootinfo()->cmdline, sizeof(line));
	for (;;) {
		while (*at == ' ' || *at == '\t')
			*at++ = 0;
		too_many = *at && option_count == OPTIONS_MAX;
		if (!*at || too_many)
			return;
		at = split_word(&options[option_count++], at);
	}
}

static bool has_key(const struct app_key *keys, const char *key)
{
	for (; keys && keys->name; keys++)
		if (strcmp(keys->name, key) == 0)
			return true;
	return false;
}

static void print_keys(const struct app_key *keys)
{
	for (; keys && keys->name; keys++)
		printf(" %s", keys->name);
}

static void check_keys(const struct app *app)
{
	for (unsigned i = 0; i < option_count; i++) {
		const char *key = options[i].key;

		if (has_key(kernel_keys, key) || has_key(app->keys, key))
			continue;
		printf("tickvm: %s has no key %s; there are", app->name, key);
		print_keys(kernel_keys);
		print_keys(app->keys);
		printf("\n");
		exit(TK_EXIT_USAGE);
	}
}

static const struct app *find_app(const char *name)
{
	for (const struct app *app = app_table; app->name; app++)
		if (strcmp(app->name, name) == 0)
			return app;
	printf("tickvm: no app %s; there are\n", name);
	for (const struct app *app = app_table; app->name; app++)
		printf("  %-12s %s\n", app->name, app->what);
	exit(TK_EXIT_USAGE);
}

static void apply_kernel_keys(void)
{
	const char *clock = app_option("clock"), *idle = app_option("idle");

	if (clock && !clock_find(clock))
		app_exit(TK_EXIT_USAGE, "clock=%s: there are %s", clock, clock_names());
	if (clock && clock_select(clock) != 0)
		app_exit(TK_EXIT_SKIPPED, "clock=%s does not run on this machine", clock);
	if (idle && idle_select(idle) != 0)
		app_exit(TK_EXIT_USAGE, "idle=%s: halt or poll", idle);
#ifdef TICKVM_MUTANTS
	if (app_option("mutant"))
		mutant_select(app_option("mutant"));
#endif
}

const struct app *options_check(void)
{
	const char *name;
	const struct app *app;

	if (strlen(bootinfo()->cmdline) == BOOT_CMDLINE_SIZE - 1)
		app_exit(TK_EXIT_USAGE, "the command line is longer than %d bytes",
			 BOOT_CMDLINE_SIZE - 2);
	if (too_many)
		app_exit(TK_EXIT_USAGE, "more than %d words on the command line", OPTIONS_MAX);
	name = app_option("app");
	app = find_app(name ? name : DEFAULT_APP);
	check_keys(app);
	apply_kernel_keys();
	return app;
}
