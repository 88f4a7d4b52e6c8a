/*
 * grub.cfg: GNU GRUB manual 2.06 § 6 and § 16.1 (menuentry).
 *
 * The file is read twice, as GRUB does: what is at the top, with the places of the
 * entries; then the chosen entry's body, with the variables as they then are.
 */
#include "grub_cfg.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "grub_lexer.h"

#define ENTRIES_MAX 64
#define TITLE_MAX   128

struct menu {
	struct grub_variables variables;
	struct menu_entry {
		char title[TITLE_MAX], id[TITLE_MAX];
		const char *body; /* after the opening brace */
		unsigned line;	  /* of it */
	} entries[ENTRIES_MAX];
	unsigned count;
};

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list))
		list++;
	return *list;
}

static int copy(const struct grub_lexer *lexer, char *to, size_t size, const char *from,
		const char *what)
{
	if (strlen(from) >= size)
		return grub_error(lexer, "%s over %zu bytes", what, size - 1);
	strcpy(to, from);
	return 0;
}

/* ---- variables ---- */

static int set_variable(const struct grub_lexer *lexer, struct grub_variables *variables,
			const char *name, const char *value)
{
	unsigned i = 0;

	while (i < variables->count && strcmp(variables->list[i].name, name))
		i++;
	if (i == GRUB_VARIABLES_MAX)
		return grub_error(lexer, "over %u variables", GRUB_VARIABLES_MAX);
	if (copy(lexer, variables->list[i].name, GRUB_NAME_MAX, name, "a variable's name") < 0 ||
	    copy(lexer, variables->list[i].value, GRUB_VALUE_MAX, value, "a variable's value") < 0)
		return -1;
	if (i == variables->count)
		variables->count++;
	return 0;
}

/* NAME=VALUE, alone or after `set`. 1: the command was one; 0: it was another. */
static int run_assignment(const struct grub_lexer *lexer, struct grub_variables *variables,
			  const struct grub_command *command)
{
	unsigned at = command->count > 1 && !strcmp(command->words[0], "set");
	char *equals = strchr(command->words[at], '=');

	if (!strcmp(command->words[0], "unset") && command->count > 1)
		return set_variable(lexer, variables, command->words[1], "") < 0 ? -1 : 1;
	if (!equals)
		return 0;
	*equals = '\0';
	return set_variable(lexer, variables, command->words[at], equals + 1) < 0 ? -1 : 1;
}

/* ---- the top of the file ---- */

/* What decides which commands run cannot be passed over. */
static int refuse_control(const struct grub_lexer *lexer, const struct grub_command *command)
{
	static const char *const control[] = {"if",	    "for",     "while",	 "until",
					      "function",   "submenu", "source", ".",
					      "configfile", NULL};

	if (!is_one_of(command->words[0], control))
		return 0;
	return grub_error(lexer, "\"%s\" is not supported", command->words[0]);
}

/* Steps over the commands between an entry's braces. */
static int skip_body(struct grub_lexer *lexer, struct grub_command *command)
{
	for (;;) {
		if (grub_read_command(lexer, command) < 0)
			return -1;
		if (command->ending == GRUB_ENDS_CLOSE)
			return 0;
		if (command->ending == GRUB_ENDS_OPEN)
			return grub_error(lexer, "a block inside a menu entry is not supported");
		if (command->ending == GRUB_ENDS_FILE)
			return grub_error(lexer, "a menu entry is not closed");
	}
}

/* menuentry TITLE [--OPTION[=VALUE | VALUE]] ... */
static int read_title(const struct grub_lexer *lexer, const struct grub_command *command,
		      struct menu_entry *entry)
{
	static const char *const with_value[] = {"--class",  "--users", "--hotkey",
						 "--source", "--id",	NULL};
	const char *title = NULL, *id = "";

	for (unsigned i = 1; i < command->count; i++) {
		const char *word = command->words[i];

		if (!strncmp(word, "--id=", 5))
			id = word + 5;
		else if (!strcmp(word, "--id") && i + 1 < command->count)
			id = command->words[++i];
		else if (is_one_of(word, with_value))
			i++;
		else if (strncmp(word, "--", 2) && !title)
			title = word;
	}
	if (!title)
		return grub_error(lexer, "menuentry without a title");
	if (copy(lexer, entry->id, TITLE_MAX, id, "an entry's id") < 0)
		return -1;
	return copy(lexer, entry->title, TITLE_MAX, title, "an entry's title");
}

static int read_menuentry(struct grub_lexer *lexer, struct grub_command *command, struct menu *menu)
{
	struct menu_entry *entry = &menu->entries[menu->count];

	if (command->ending != GRUB_ENDS_OPEN)
		return grub_error(lexer, "menuentry without its opening brace");
	if (menu->count == ENTRIES_MAX)
		return grub_error(lexer, "over %u menu entries", ENTRIES_MAX);
	if (read_title(lexer, command, entry) < 0)
		return -1;
	entry->body = lexer->at;
	entry->line = lexer->line;
	menu->count++;
	return skip_body(lexer, command);
}

static int run_top_command(struct grub_lexer *lexer, struct grub_command *command,
			   struct menu *menu)
{
	int result;

	if (command->count && !strcmp(command->words[0], "menuentry"))
		return read_menuentry(lexer, command, menu);
	if (command->ending == GRUB_ENDS_OPEN || command->ending == GRUB_ENDS_CLOSE)
		return grub_error(lexer, "a brace outside a menu entry");
	if (!command->count)
		return 0;
	result = run_assignment(lexer, &menu->variables, command);
	if (result)
		return result < 0 ? -1 : 0;
	return refuse_control(lexer, command);
}

static int read_menu(struct grub_lexer *lexer, struct grub_command *command, struct menu *menu)
{
	do {
		if (grub_read_command(lexer, command) < 0 ||
		    run_top_command(lexer, command, menu) < 0)
			return -1;
	} while (command->ending != GRUB_ENDS_FILE);
	if (!menu->count)
		return grub_error(lexer, "there is no menuentry");
	return 0;
}

/* ---- the chosen entry ---- */

static const struct menu_entry *choose(const struct menu *menu, const char *choice, struct error *e)
{
	const char *wanted = choice ? choice : grub_variable(&menu->variables, "default");
	size_t digits = strspn(wanted, "0123456789");
	unsigned long number = strtoul(wanted, NULL, 10);

	if (!*wanted)
		return &menu->entries[0];
	if (!wanted[digits] && number < menu->count)
		return &menu->entries[number];
	for (unsigned i = 0; i < menu->count; i++) {
		if (!strcmp(menu->entries[i].title, wanted) || !strcmp(menu->entries[i].id, wanted))
			return &menu->entries[i];
	}
	error_set(e, TK_EXIT_USAGE,
		  "menu entry \"%s\"%s: not in grub.cfg, whose first of %u is \"%s\"", wanted,
		  choice ? "" : " (its default)", menu->count, menu->entries[0].title);
	return NULL;
}

static int add_argument_byte(const struct grub_lexer *lexer, struct grub_file *file, char byte)
{
	size_t length = strlen(file->cmdline);

	if (length + 1 >= sizeof(file->cmdline))
		return grub_error(lexer, "arguments over %zu bytes", sizeof(file->cmdline) - 1);
	file->cmdline[length] = byte;
	file->cmdline[length + 1] = '\0';
	return 0;
}

/* GRUB quotes an argument that has spaces, and frees its quotes and backslashes. */
static int add_argument(const struct grub_lexer *lexer, struct grub_file *file, const char *word)
{
	bool quotes = strchr(word, ' ');

	if ((*file->cmdline && add_argument_byte(lexer, file, ' ') < 0) ||
	    (quotes && add_argument_byte(lexer, file, '"') < 0))
		return -1;
	for (; *word; word++) {
		if ((strchr("\\'\"", *word) && add_argument_byte(lexer, file, '\\') < 0) ||
		    add_argument_byte(lexer, file, *word) < 0)
			return -1;
	}
	return quotes ? add_argument_byte(lexer, file, '"') : 0;
}

/* COMMAND PATH ARGUMENTS: the path may name the device that the file system is on. */
static int read_file(const struct grub_lexer *lexer, const struct grub_command *command,
		     struct grub_file *file)
{
	const char *path, *device_end;

	if (command->count < 2)
		return grub_error(lexer, "\"%s\" without a file", command->words[0]);
	path = command->words[1];
	device_end = *path == '(' ? strchr(path, ')') : NULL;
	if (copy(lexer, file->path, sizeof(file->path), device_end ? device_end + 1 : path,
		 "a path") < 0)
		return -1;
	for (unsigned i = 2; i < command->count; i++) {
		if (add_argument(lexer, file, command->words[i]) < 0)
			return -1;
	}
	return 0;
}

static int run_kernel(const struct grub_lexer *lexer, const struct grub_command *command,
		      enum boot_protocol protocol, struct grub_entry *entry)
{
	if (entry->has_kernel)
		return grub_error(lexer, "a second kernel in one menu entry");
	entry->has_kernel = true;
	entry->protocol = protocol;
	return read_file(lexer, command, &entry->kernel);
}

static int run_module(const struct grub_lexer *lexer, const struct grub_command *command,
		      enum boot_protocol protocol, struct grub_entry *entry)
{
	if (!entry->has_kernel || entry->protocol != protocol)
		return grub_error(lexer, "\"%s\" without its kernel before it", command->words[0]);
	if (entry->module_count == BOOT_MODULES_MAX)
		return grub_error(lexer, "over %u modules", BOOT_MODULES_MAX);
	return read_file(lexer, command, &entry->modules[entry->module_count++]);
}

static int run_entry_command(const struct grub_lexer *lexer, struct grub_command *command,
			     struct grub_variables *variables, struct grub_entry *entry)
{
	const char *name = command->words[0];
	int result;

	if (!strcmp(name, "multiboot2"))
		return run_kernel(lexer, command, BOOT_MULTIBOOT2, entry);
	if (!strcmp(name, "multiboot"))
		return run_kernel(lexer, command, BOOT_MULTIBOOT1, entry);
	if (!strcmp(name, "module2"))
		return run_module(lexer, command, BOOT_MULTIBOOT2, entry);
	if (!strcmp(name, "module"))
		return run_module(lexer, command, BOOT_MULTIBOOT1, entry);
	result = run_assignment(lexer, variables, command);
	if (result)
		return result < 0 ? -1 : 0;
	return refuse_control(lexer, command);
}

static int run_entry(struct grub_lexer *lexer, struct grub_command *command, struct menu *menu,
		     struct grub_entry *entry)
{
	/* Ends with the brace that the first reading found. */
	do {
		if (grub_read_command(lexer, command) < 0)
			return -1;
		if (command->count &&
		    run_entry_command(lexer, command, &menu->variables, entry) < 0)
			return -1;
	} while (command->ending == GRUB_ENDS_LINE);
	if (!entry->has_kernel)
		return grub_error(lexer, "the menu entry loads no multiboot2 or multiboot kernel");
	return 0;
}

static int read_with(struct menu *menu, struct grub_command *command, struct view text,
		     const char *choice, struct grub_entry *entry, struct error *e)
{
	struct grub_lexer lexer = {
		.at = (const char *)text.data,
		.end = (const char *)text.data + text.size,
		.line = 1,
		.variables = &menu->variables,
		.error = e,
	};
	const struct menu_entry *chosen;

	if (read_menu(&lexer, command, menu) < 0)
		return -1;
	chosen = choose(menu, choice, e);
	if (!chosen)
		return -1;
	lexer.at = chosen->body;
	lexer.line = chosen->line;
	return run_entry(&lexer, command, menu, entry);
}

int grub_cfg_read(struct view text, const char *choice, struct grub_entry *entry, struct error *e)
{
	struct grub_command command;
	struct menu menu;

	/* Only what is read before it is written: the arrays are large. */
	menu.variables.count = 0;
	menu.count = 0;
	entry->has_kernel = false;
	entry->module_count = 0;
	memset(&entry->kernel, 0, sizeof(entry->kernel));
	memset(entry->modules, 0, sizeof(entry->modules));
	return read_with(&menu, &command, text, choice, entry, e);
}
