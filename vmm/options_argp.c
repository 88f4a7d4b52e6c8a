/* What the sub-commands' command lines have in common: see options.h. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

error_t option_event(int key, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->err_stream = NULL;
	return 0;
}

int option_find_dashes(int argc, char **argv)
{
	int i = 1;

	while (i < argc && strcmp(argv[i], "--"))
		i++;
	return i;
}

char *option_join(int count, char **words)
{
	size_t size = 1;
	char *text;

	for (int i = 0; i < count; i++)
		size += strlen(words[i]) + 1;
	text = calloc(1, size);
	for (int i = 0; text && i < count; i++) {
		strcat(text, words[i]);
		if (i + 1 < count)
			strcat(text, " ");
	}
	return text;
}
