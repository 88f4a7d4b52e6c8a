/*
 * Splits a grub.cfg into commands: words with their quotes taken off and their
 * variables put in (GNU GRUB manual 2.06 § 6.1, "Shell-like scripting").
 */
#ifndef TICKVM_LOADER_GRUB_LEXER_H
#define TICKVM_LOADER_GRUB_LEXER_H

#include "../../kernel/abi.h"
#include "../error.h"
#include "loader.h"

#define GRUB_WORDS_MAX	   64
#define GRUB_TEXT_MAX	   4096 /* all words of a command, each with its NUL */
#define GRUB_NAME_MAX	   32
#define GRUB_VALUE_MAX	   256
#define GRUB_VARIABLES_MAX 32

struct grub_variables {
	struct {
		char name[GRUB_NAME_MAX], value[GRUB_VALUE_MAX];
	} list[GRUB_VARIABLES_MAX];
	unsigned count;
};

/* "" for one that is not set, as in GRUB. */
const char *grub_variable(const struct grub_variables *variables, const char *name);

enum grub_ending {
	GRUB_ENDS_LINE,	 /* newline or semicolon */
	GRUB_ENDS_OPEN,	 /* { */
	GRUB_ENDS_CLOSE, /* } */
	GRUB_ENDS_FILE,
};

struct grub_lexer {
	const char *at, *end;
	unsigned line;	     /* of the next byte */
	unsigned error_line; /* that grub_error() names */
	const struct grub_variables *variables;
	struct error *error;
};

struct grub_command {
	enum grub_ending ending;
	unsigned count;
	char *words[GRUB_WORDS_MAX];
	char text[GRUB_TEXT_MAX];
	unsigned used;
};

/* Fills the error with the line and what is wrong there; -1. */
#define grub_error(lexer, format, ...)                                                             \
	error_set((lexer)->error, TK_EXIT_USAGE, "grub.cfg line %u: " format, (lexer)->error_line, \
		  ##__VA_ARGS__)

/* Reads the next command, which may have no words. */
int grub_read_command(struct grub_lexer *lexer, struct grub_command *command);

#endif
