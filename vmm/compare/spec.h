/*
 * What to compare: a choice of tickvm's options, another tickvm, or another VMM.
 *
 *   --lock=big --pmtimer=user      this tickvm with these options of `run`
 *   tickvm:PATH [options]          another build
 *   qemu:PATH[,accel=…][,machine=…][,cpus=…][,extra=OPTION]…
 *   exec:COMMAND                   any program that shows the serial output of the image
 *                                  %i, booted with the command line %c, on its stdout
 */
#ifndef TICKVM_COMPARE_SPEC_H
#define TICKVM_COMPARE_SPEC_H

#include <stdbool.h>

#include "../repro/child.h"

struct error;

#define SPEC_WORDS_MAX 64

struct spec {
	const char *text; /* as given; "" is this tickvm with its defaults */
	char *program;	  /* allocated; NULL: this tickvm */
	enum child_output output;
	unsigned count;
	char *words[SPEC_WORDS_MAX]; /* allocated; NULL last */
};

/*
 * Makes the words that run `image` with the guest's `cmdline` ("" for its own). -1 with
 * exit code 2: the text is no spec, or this VMM cannot boot that image so.
 */
int spec_parse(struct spec *spec, const char *text, const char *image, const char *cmdline,
	       struct error *e);
void spec_free(struct spec *spec);

/* Runs it once, to its end. -1: it could not be started. */
int spec_run(const struct spec *spec, struct child_run *run, struct error *e);

#endif
