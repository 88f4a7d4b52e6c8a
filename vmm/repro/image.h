/* Where tickvm's own image is. */
#ifndef TICKVM_REPRO_IMAGE_H
#define TICKVM_REPRO_IMAGE_H

#include <limits.h>

struct error;

/*
 * The ISO beside the binary (build/), else the installed one. -1 with exit code 2:
 * there is neither.
 */
int image_default(char path[PATH_MAX], struct error *e);

#endif
