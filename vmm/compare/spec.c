/* What to compare, as words of a command: see spec.h. */
#include "spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define SELF	  "/proc/self/exe"
#define QEMU	  "qemu-system-x86_64"
#define MEM_MIB	  "64" /* tickvm's default */
#define TIMEOUT_S "120"
#define SHELL	  "/bin/sh"

/* Too many words, or no memory, show as a missing word at the end. */
static void add(struct spec *spec, const char *word, size_t length)
{
	if (spec->count < SPEC_WORDS_MAX - 1)
		spec->words[spec->count] = strndup(word, length);
	spec->count += spec->count < SPEC_WORDS_MAX;
}

static void add_word(struct spec *spec, const char *word)
{
	add(spec, word, strlen(word));
}

static void add_words(struct spec *spec, const char *const *words)
{
	for (; *words; words++)
		add_word(spec, *words);
}

/* Words of a text, between blanks. */
static void split(struct spec *spec, const char *text)
{
	while (*(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");

		add(spec, text, length);
		text += length;
	}
}

static void tickvm_words(struct spec *spec, const char *options, const char *image,
			 const char *cmdline)
{
	static const char *const run[] = {
		"tickvm", "run", "--json=-", "--quiet", "--timeout=" TIMEOUT_S, NULL};

	spec->output = CHILD_JSON;
	add_words(spec, run);
	split(spec, options);
	add_word(spec, image);
	if (!*cmdline)
		return;
	add_word(spec, "--");
	add_word(spec, cmdline);
}

/* "tickvm:PATH options": the first word is the program. */
static void other_tickvm_words(struct spec *spec, const char *text, const char *image,
			       const char *cmdline)
{
	size_t length = strcspn(text, " ");

	spec->program = strndup(text, length);
	tickvm_words(spec, text + length, image, cmdline);
}

static bool is_iso(const char *image)
{
	size_t length = strlen(image);

	return length > 4 && !strcmp(image + length - 4, ".iso");
}

/* One "key=value" of a QEMU. -1: there is no such key. */
static int qemu_option(struct spec *spec, const char *option, size_t length)
{
	static const struct {
		const char *key, *word;
	} keys[] = {{"accel=", "-accel"}, {"machine=", "-machine"}, {"cpus=", "-smp"}};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		size_t key = strlen(keys[i].key);

		if (strncmp(option, keys[i].key, key) != 0)
			continue;
		add_word(spec, keys[i].word);
		add(spec, option + key, length - key);
		return 0;
	}
	if (strncmp(option, "extra=", 6) != 0)
		return -1;
	add(spec, option + 6, length - 6);
	return 0;
}

/* The image boots by PVH if it is an ELF, else from a CD, whose menu has the command line. */
static int qemu_words(struct spec *spec, const char *text, const char *image, const char *cmdline,
		      struct error *e)
{
	static const char *const machine[] = {"timeout", "--kill-after=5", TIMEOUT_S, NULL};
	static const char *const quiet[] = {"-nodefaults", "-display",
					    "none",	   "-no-reboot",
					    "-m",	   MEM_MIB,
					    "-serial",	   "stdio",
					    "-device",	   "isa-debug-exit,iobase=0xf4,iosize=4",
					    NULL};
	size_t length = strcspn(text, ",");

	if (is_iso(image) && *cmdline)
		return error_set(e, TK_EXIT_USAGE,
				 "%s: QEMU takes a guest command line with the ELF image only, not "
				 "with %s",
				 spec->text, image);
	spec->output = CHILD_TEXT;
	spec->program = strdup(machine[0]);
	add_words(spec, machine);
	if (length)
		add(spec, text, length);
	else
		add_word(spec, QEMU);
	if (!strstr(text, ",accel="))
		qemu_option(spec, "accel=kvm", strlen("accel=kvm"));
	for (text += length; *text; text += length) {
		length = strcspn(++text, ",");
		if (qemu_option(spec, text, length))
			return error_set(e, TK_EXIT_USAGE,
					 "%s: QEMU's keys are accel, machine, cpus "
					 "and extra, not %.*s",
					 spec->text, (int)length, text);
	}
	add_words(spec, quiet);
	add_word(spec, is_iso(image) ? "-cdrom" : "-kernel");
	add_word(spec, image);
	if (*cmdline) {
		add_word(spec, "-append");
		add_word(spec, cmdline);
	}
	return 0;
}

/* The image and the command line as the shell's $1 and $2, so that no character of them is its own.
 */
static char *shell_command(const char *text)
{
	char *command = calloc(1, strlen(text) * 2 + 1), *end = command;

	for (; command && *text; text++) {
		if (text[0] == '%' && (text[1] == 'i' || text[1] == 'c')) {
			end = stpcpy(end, *++text == 'i' ? "\"$1\"" : "\"$2\"");
			continue;
		}
		*end++ = *text;
	}
	return command;
}

static int exec_words(struct spec *spec, const char *text, const char *image, const char *cmdline,
		      struct error *e)
{
	char *command;

	if (!strstr(text, "%i"))
		return error_set(e, TK_EXIT_USAGE, "%s: the command has no %%i for the image",
				 spec->text);
	spec->output = CHILD_TEXT;
	spec->program = strdup(SHELL);
	command = shell_command(text);
	add_word(spec, "sh");
	add_word(spec, "-c");
	add_word(spec, command ? command : "");
	add_word(spec, "sh");
	add_word(spec, image);
	add_word(spec, cmdline);
	free(command);
	return 0;
}

static const char *after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? NULL : text + length;
}

static int make_words(struct spec *spec, const char *image, const char *cmdline, struct error *e)
{
	const char *text = spec->text, *rest;

	if ((rest = after(text, "qemu:")))
		return qemu_words(spec, rest, image, cmdline, e);
	if ((rest = after(text, "exec:")))
		return exec_words(spec, rest, image, cmdline, e);
	if ((rest = after(text, "tickvm:")))
		other_tickvm_words(spec, rest, image, cmdline);
	else if (!*text || *text == '-')
		tickvm_words(spec, text, image, cmdline);
	else
		return error_set(e, TK_EXIT_USAGE,
				 "%s: neither options of tickvm run, nor tickvm:PATH, qemu:PATH or "
				 "exec:COMMAND",
				 text);
	return 0;
}

int spec_parse(struct spec *spec, const char *text, const char *image, const char *cmdline,
	       struct error *e)
{
	memset(spec, 0, sizeof(*spec));
	spec->text = text;
	if (make_words(spec, image, cmdline, e))
		return -1;
	if (spec->count == SPEC_WORDS_MAX)
		return error_set(e, TK_EXIT_USAGE, "%.60s…: more than %d words", text,
				 SPEC_WORDS_MAX - 1);
	return 0;
}

void spec_free(struct spec *spec)
{
	for (unsigned i = 0; i < spec->count && i < SPEC_WORDS_MAX; i++)
		free(spec->words[i]);
	free(spec->program);
	memset(spec, 0, sizeof(*spec));
}

int spec_run(const struct spec *spec, struct child_run *run, struct error *e)
{
	return child_run_program(spec->program ? spec->program : SELF, spec->words, spec->output,
				 run, e);
}
