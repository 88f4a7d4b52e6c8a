/* See image.h. */
#include "image.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel/abi.h"
#include "../error.h"

#define IMAGE	  "tickvm.iso"
#define INSTALLED TICKVM_PREFIX "/share/tickvm/" IMAGE

int image_default(char path[PATH_MAX], struct error *e)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(IMAGE) - 1);

	if (length > 0) {
		path[length] = 0;
		strcpy(strrchr(path, '/') + 1, IMAGE);
		if (!access(path, R_OK))
			return 0;
	}
	snprintf(path, PATH_MAX, "%s", INSTALLED);
	if (!access(path, R_OK))
		return 0;
	return error_set(e, TK_EXIT_USAGE,
			 "no " IMAGE " beside the binary and no " INSTALLED
			 ": name one by --image");
}
