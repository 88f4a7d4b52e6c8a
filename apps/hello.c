/*
 * hello: the shortest way from the boot loader to an exit code, and the image
 * whose start `make bench` times.
 */
#include "apps.h"

#include <stdio.h>

const struct app_key hello_keys[] = {{NULL, NULL}};

int hello_main(void)
{
	printf("hello from ring 0\n");
	return TK_EXIT_PASS;
}
