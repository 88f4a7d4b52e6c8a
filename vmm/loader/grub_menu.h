/* The top level of a grub.cfg: its variables, and where its menu entries are. */
#ifndef TICKVM_LOADER_GRUB_MENU_H
#define TICKVM_LOADER_GRUB_MENU_H

#include <stddef.h>

#include "grub_lexer.h"

#define GRUB_ENTRIES_MAX 64
#define GRUB_TITLE_MAX	 128

struct grub_menu {
	struct grub_variables variables;
	struct grub_menu_entry {
		char title[GRUB_TITLE_MAX], id[GRUB_TITLE_MAX];
		const char *body; /* after the opening brace */
		unsigned line;	  /* of it */
	} entries[GRUB_ENTRIES_MAX];
	unsigned count;
};

/* Reads to the end of the file. The menu's two counts are 0 before; at least one entry after. */
int grub_read_menu(struct grub_lexer *lexer, struct grub_command *command, struct grub_menu *menu);

/* NAME=VALUE, alone or after `set`, and `unset`. Does nothing for another command. */
int grub_run_assignment(const struct grub_lexer *lexer, struct grub_variables *variables,
			const struct grub_command *command);

/* -1 for a command that decides which others run: that cannot be passed over. */
int grub_refuse_control(const struct grub_lexer *lexer, const struct grub_command *command);

/* Copies a printable string that must fit; `what` it is, for the error. */
int grub_copy(const struct grub_lexer *lexer, char *to, size_t size, const char *from,
	      const char *what);

#endif
