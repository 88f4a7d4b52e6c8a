/* Words of a grub.cfg: see grub_lexer.h. */
#include "grub_lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Where the word that is being read stands. */
struct word {
	struct grub_command *command;
	bool open;
	unsigned first_line; /* of the command's first word */
};

const char *grub_variable(const struct grub_variables *variables, const char *name)
{
	for (unsigned i = 0; i < variables->count; i++) {
		if (!strcmp(variables->list[i].name, name))
			return variables->list[i].value;
	}
	return "";
}

/* Opens a word if none is: an empty pair of quotes makes an empty one. */
static int open_word(struct grub_lexer *lexer, struct word *word)
{
	struct grub_command *command = word->command;

	if (word->open)
		return 0;
	if (command->count == GRUB_WORDS_MAX)
		return grub_error(lexer, "over %u words in a command", GRUB_WORDS_MAX);
	if (!command->count)
		word->first_line = lexer->error_line;
	command->words[command->count++] = command->text + command->used;
	word->open = true;
	return 0;
}

static int add_byte(struct grub_lexer *lexer, struct word *word, char byte)
{
	if (open_word(lexer, word) < 0)
		return -1;
	if (word->command->used == GRUB_TEXT_MAX)
		return grub_error(lexer, "over %u bytes in a command", GRUB_TEXT_MAX);
	word->command->text[word->command->used++] = byte;
	return 0;
}

static int close_word(struct grub_lexer *lexer, struct word *word)
{
	if (!word->open)
		return 0;
	if (add_byte(lexer, word, '\0') < 0)
		return -1;
	word->open = false;
	return 0;
}

static bool at_end(const struct grub_lexer *lexer)
{
	return lexer->at == lexer->end;
}

static char take(struct grub_lexer *lexer)
{
	char byte = *lexer->at++;

	lexer->error_line = lexer->line;
	if (byte == '\n')
		lexer->line++;
	return byte;
}

/* NAME or {NAME} after a dollar sign; an empty name: the sign stands for itself. */
static int read_name(struct grub_lexer *lexer, char *name)
{
	bool braces = !at_end(lexer) && *lexer->at == '{';
	unsigned length = 0;

	if (braces)
		take(lexer);
	while (!at_end(lexer) && (isalnum((unsigned char)*lexer->at) || *lexer->at == '_')) {
		if (length == GRUB_NAME_MAX - 1)
			return grub_error(lexer, "a variable's name over %u bytes",
					  GRUB_NAME_MAX - 1);
		name[length++] = take(lexer);
	}
	name[length] = '\0';
	if (braces && (at_end(lexer) || take(lexer) != '}'))
		return grub_error(lexer, "a variable's name without its closing brace");
	return 0;
}

/* The value's spaces part words unless it stands in quotes. */
static int read_variable(struct grub_lexer *lexer, struct word *word, bool quoted)
{
	char name[GRUB_NAME_MAX];
	const char *value;

	if (read_name(lexer, name) < 0)
		return -1;
	if (!*name)
		return add_byte(lexer, word, '$');
	for (value = grub_variable(lexer->variables, name); *value; value++) {
		bool parts = !quoted && isspace((unsigned char)*value);

		if ((parts ? close_word(lexer, word) : add_byte(lexer, word, *value)) < 0)
			return -1;
	}
	return 0;
}

static int read_single_quotes(struct grub_lexer *lexer, struct word *word)
{
	unsigned opening_line = lexer->error_line;

	if (open_word(lexer, word) < 0)
		return -1;
	while (!at_end(lexer)) {
		char byte = take(lexer);

		if (byte == '\'')
			return 0;
		if (add_byte(lexer, word, byte) < 0)
			return -1;
	}
	lexer->error_line = opening_line;
	return grub_error(lexer, "a single quote is not closed");
}

/* Outside quotes a backslash frees any byte, inside only these; before a newline it joins lines. */
static int read_backslash(struct grub_lexer *lexer, struct word *word, bool quoted)
{
	char byte;

	if (at_end(lexer))
		return grub_error(lexer, "a backslash ends the file");
	byte = take(lexer);
	if (byte == '\n')
		return 0;
	if (quoted && !strchr("$\"\\", byte) && add_byte(lexer, word, '\\') < 0)
		return -1;
	return add_byte(lexer, word, byte);
}

static int read_double_quotes(struct grub_lexer *lexer, struct word *word)
{
	unsigned opening_line = lexer->error_line;

	if (open_word(lexer, word) < 0)
		return -1;
	while (!at_end(lexer)) {
		char byte = take(lexer);
		int result;

		if (byte == '"')
			return 0;
		if (byte == '\\')
			result = read_backslash(lexer, word, true);
		else if (byte == '$')
			result = read_variable(lexer, word, true);
		else
			result = add_byte(lexer, word, byte);
		if (result < 0)
			return -1;
	}
	lexer->error_line = opening_line;
	return grub_error(lexer, "a double quote is not closed");
}

static void skip_comment(struct grub_lexer *lexer)
{
	while (!at_end(lexer) && *lexer->at != '\n')
		lexer->at++;
}

/* Whether a byte ends the command. */
static bool ends(char byte, enum grub_ending *ending)
{
	switch (byte) {
	case '\n':
	case ';':
		*ending = GRUB_ENDS_LINE;
		return true;
	case '{':
		*ending = GRUB_ENDS_OPEN;
		return true;
	case '}':
		*ending = GRUB_ENDS_CLOSE;
		return true;
	default:
		return false;
	}
}

static int read_byte(struct grub_lexer *lexer, struct word *word, char byte)
{
	switch (byte) {
	case ' ':
	case '\t':
	case '\r':
		return close_word(lexer, word);
	case '\'':
		return read_single_quotes(lexer, word);
	case '"':
		return read_double_quotes(lexer, word);
	case '\\':
		return read_backslash(lexer, word, false);
	case '$':
		return read_variable(lexer, word, false);
	case '#':
		if (!word->open) {
			skip_comment(lexer);
			return 0;
		}
		/* fallthrough */
	default:
		return byte ? add_byte(lexer, word, byte) : grub_error(lexer, "a NUL byte");
	}
}

int grub_read_command(struct grub_lexer *lexer, struct grub_command *command)
{
	struct word word = {.command = command};

	command->count = 0;
	command->used = 0;
	command->ending = GRUB_ENDS_FILE;
	while (!at_end(lexer)) {
		char byte = take(lexer);

		if (ends(byte, &command->ending))
			break;
		if (read_byte(lexer, &word, byte) < 0)
			return -1;
	}
	if (close_word(lexer, &word) < 0)
		return -1;
	/* What is wrong with the whole command is wrong where it begins. */
	if (command->count)
		lexer->error_line = word.first_line;
	return 0;
}
