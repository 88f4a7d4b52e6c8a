/*
 * The command line of `tickvm run`.
 */
#ifndef TICKVM_OPTIONS_H
#define TICKVM_OPTIONS_H

#include <argp.h>

#include "config.h"

struct error;

/*
 * argv[0] is the sub-command's name. --help prints and exits. -1: a bad option or
 * value; the text of *e is empty where getopt has said it already.
 */
int options_parse(int argc, char **argv, struct config *config, struct error *e);
void options_free(struct config *config);

/*
 * Groups of options in files of their own: a child of the whole argp, whose input is the
 * target, and a check when all options are known. Their keys begin at OPTION_KEYS_*.
 */
struct option_target {
	struct config *config;
	struct error *error;
};

#define OPTION_KEYS_CHIPS 0x200
extern const struct argp option_chips; /* options_chips.c: chips, their locks and their time */
int option_chips_check(const struct config *config, struct error *e);

/* ---- the values of options, each -1 and one line for a bad one (options_value.c) ---- */

int option_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value,
		  struct error *e);

/* 32 bits, decimal or hexadecimal. */
int option_counter(const char *option, const char *text, uint32_t *value, struct error *e);

/* The index of one of the names, which end with NULL. */
int option_choice(const char *option, const char *text, const char *const *names, unsigned *index,
		  struct error *e);

/* Bytes, with K, M or G for their powers of 1024. */
int option_size(const char *option, const char *text, uint64_t *bytes, struct error *e);

/* "10", "10s" or "500ms"; not 0. */
int option_duration(const char *option, const char *text, uint64_t *ns, struct error *e);

/* "0,2" or "0-3": the host's CPU for each of `cpus` vCPUs; one entry is for all. */
int option_cpu_list(const char *option, const char *text, unsigned cpus, int *list,
		    struct error *e);

/* One CPU of the host. */
int option_cpu(const char *option, const char *text, int *cpu, struct error *e);

/* "FILE", or "FILE,rw", which is cut. */
int option_disk(const char *option, char *text, struct config *config, struct error *e);

/* "utc", "localtime", "2000-02-28T23:59:59.9" (UTC, seconds and time may be left out), "@seconds".
 */
int option_rtc_base(const char *option, const char *text, struct config *config, struct error *e);

/* "-3600@2s": seconds by which the wall clock is set, and when; adds to config.clock_steps. */
int option_clock_step(const char *option, const char *text, struct config *config, struct error *e);

/* ---- what the sub-commands' parsers have in common (options_argp.c) ---- */

/*
 * For a parser's keys that are neither options nor arguments. A bad option is one line,
 * by getopt or from the parser: argp adds nothing to it.
 */
error_t option_event(int key, struct argp_state *state);

/* Index of the "--" before a guest's words, or argc. */
int option_find_dashes(int argc, char **argv);

/* Words joined by spaces: the caller's to free. NULL: out of memory. */
char *option_join(int count, char **words);

#endif
