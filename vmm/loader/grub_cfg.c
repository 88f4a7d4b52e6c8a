/*
 * grub.cfg: GNU GRUB manual 2.06 § 6.
 *
 * The file is read twice, as GRUB does: what is at the top, with the places of the
 * entries; then the chosen entry's body, with the variables as they then are.
 */
#include "grub_cfg.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "grub_menu.h"

static const struct grub_menu_entry *choose(const struct grub_menu *menu, const char *choice,
					    struct error *e)
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
	if (grub_copy(lexer, file->path, sizeof(file->path), device_end ? device_end + 1 : path,
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

	if (!strcmp(name, "multiboot2"))
		return run_kernel(lexer, command, BOOT_MULTIBOOT2, entry);
	if (!strcmp(name, "multiboot"))
		return run_kernel(lexer, command, BOOT_MULTIBOOT1, entry);
	if (!strcmp(name, "module2"))
		return run_module(lexer, command, BOOT_MULTIBOOT2, entry);
	if (!strcmp(name, "module"))
		return run_module(lexer, command, BOOT_MULTIBOOT1, entry);
	if (grub_refuse_control(lexer, command) < 0)
		return -1;
	return grub_run_assignment(lexer, variables, command);
}

static int run_entry(struct grub_lexer *lexer, struct grub_command *command, struct grub_menu *menu,
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

static int read_with(struct grub_menu *menu, struct grub_command *command, struct view text,
		     const char *choice, struct grub_entry *entry, struct error *e)
{
	struct grub_lexer lexer = {
		.at = (const char *)text.data,
		.end = (const char *)text.data + text.size,
		.line = 1,
		.error_line = 1,
		.variables = &menu->variables,
		.error = e,
	};
	const struct grub_menu_entry *chosen;

	if (grub_read_menu(&lexer, command, menu) < 0)
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
	struct grub_menu menu;

	/* Only what is read before it is written: the arrays are large. */
	menu.variables.count = 0;
	menu.count = 0;
	entry->has_kernel = false;
	entry->module_count = 0;
	memset(&entry->kernel, 0, sizeof(entry->kernel));
	memset(entry->modules, 0, sizeof(entry->modules));
	return read_with(&menu, &command, text, choice, entry, e);
}
