/* Parts of the result object that have a file of their own. NULL: out of memory. */
#ifndef TICKVM_REPORT_RESULT_PARTS_H
#define TICKVM_REPORT_RESULT_PARTS_H

#include <jansson.h>

struct config;
struct exit_counts;
struct host_facts;
struct record;

/* Version and revision of this program. */
json_t *tickvm_json(void);

/* host_report.c: facts of the host; null without any. */
json_t *host_json(const struct host_facts *facts);

/* options_json.c: all options as they were taken; null without any. */
json_t *options_json(const struct config *config);

/* Exits to userspace: total, by reason, by port, by MMIO region; those that occurred. */
json_t *exits_json(const struct record *record, const struct exit_counts *counts);

/* syscalls_report.c: with --syscalls, else null. */
json_t *syscalls_json(const struct record *record);

json_t *phases_json(const struct record *record);

/* Metrics that have a value: order statistics and histogram. */
json_t *metrics_json(const struct record *record);

#endif
