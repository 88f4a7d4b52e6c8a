/*
 * The app table that the kernel looks `app=NAME` up in.
 */
#include "apps.h"

#include <stddef.h>

#define APP(name, what) {#name, what, name##_keys, name##_main},
const struct app app_table[] = {
#include "apps.def"
	{NULL, NULL, NULL, NULL},
};
