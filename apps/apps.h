/*
 * The apps that are linked into the image: NAME_main() and NAME_keys[] for each
 * line APP(NAME, …) of apps.def. A new app is one file and one line.
 */
#ifndef TICKVM_APPS_H
#define TICKVM_APPS_H

#include "kernel/app.h"

#define APP(name, what)        \
	int name##_main(void); \
	extern const struct app_key name##_keys[];
#include "apps.def"
#undef APP

#endif
