/* Menus: GNU GRUB manual 2.06 § 6.1 and § 16.1.1 (menuentry). See grub_menu.h. */
#include "grub_menu.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		list++;
	return *list != NULL;
}

int grub_copy(const struct grub_lexer *lexer, char *to, size_t size, const char *from,
	      const char *what)
{
	size_t length = strlen(from);

	if (length >= size)
		return grub_error(lexer, "%s over %zu bytes", what, size - 1);
	/* Such strings come up in messages, which are one line. */
	for (const char *at = from; *at; at++) {
		if (iscntrl((unsigned char)*at))
			return grub_error(lexer, "%s has a control character", what);
	}
	memcpy(to, from, length + 1);
	return 0;
}

static int set_variable(const struct grub_lexer *lexer, struct grub_variables *variables,
			const char *name, const char *value)
{
	unsigned i = 0;

	while (i < variables->count && strcmp(variables->list[i].name, name) != 0)
		i++;
	if (i == GRUB_VARIABLES_MAX)
		return grub_error(lexer, "over %u variables", GRUB_VARIABLES_MAX);
	if (grub_copy(lexer, variables->list[i].name, GRUB_NAME_MAX, name, "a variable's name") <
		    0 ||
	    grub_copy(lexer, variables->list[i].value, GRUB_VALUE_MAX, value,
		      "a variable's value") < 0)
		return -1;
	if (i == variables->count)
		variables->count++;
	return 0;
}

int grub_run_assignment(const struct grub_lexer *lexer, struct grub_variables *variables,
			const struct grub_command *command)
{
	unsigned at = command->count > 1 && !strcmp(command->words[0], "set");
	char *equals = strchr(command->words[at], '=');

	if (!strcmp(command->words[0], "unset") && command->count > 1)
		return set_variable(lexer, variables, command->words[1], "");
	if (!equals)
		return 0;
	*equals = '\0';
	return set_variable(lexer, variables, command->words[at], equals + 1);
}

/* What decides which commands run cannot be passed over. */
int grub_refuse_control(const struct grub_lexer *lexer, const struct grub_command *command)
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
		      struct grub_menu_entry *entry)
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
		else if (strncmp(word, "--", 2) != 0 && !title)
			title = word;
	}
	if (!title)
		return grub_error(lexer, "menuentry without a title");
	if (grub_copy(lexer, entry->id, GRUB_TITLE_MAX, id, "an entry's id") < 0)
		return -1;
	return grub_copy(lexer, entry->title, GRUB_TITLE_MAX, title, "an entry's title");
}

static int read_menuentry(struct grub_lexer *lexer, struct grub_command *command,
			  struct grub_menu *menu)
{
	struct grub_menu_entry *entry = &menu->entries[menu->count];

	if (command->ending != GRUB_ENDS_OPEN)
		return grub_error(lexer, "menuentry without its opening brace");
	if (menu->count == GRUB_ENTRIES_MAX)
		return grub_error(lexer, "over %u menu entries", GRUB_ENTRIES_MAX);
	if (read_title(lexer, command, entry) < 0)
		return -1;
	entry->body = lexer->at;
	entry->line = lexer->line;
	menu->count++;
	return skip_body(lexer, command);
}

static int run_top_command(struct grub_lexer *lexer, struct grub_command *command,
			   struct grub_menu *menu)
{
	if (command->count && !strcmp(command->words[0], "menuentry"))
		return read_menuentry(lexer, command, menu);
	if (command->count && grub_refuse_control(lexer, command) < 0)
		return -1;
	if (command->ending == GRUB_ENDS_OPEN || command->ending == GRUB_ENDS_CLOSE)
		return grub_error(lexer, "a brace outside a menu entry");
	if (!command->count)
		return 0;
	return grub_run_assignment(lexer, &menu->variables, command);
}

int grub_read_menu(struct grub_lexer *lexer, struct grub_command *command, struct grub_menu *menu)
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
