/*
 * What this host offers, as `tickvm host` says it: one object (schema tickvm-host/1),
 * and the text that is made from it.
 */
#ifndef TICKVM_REPORT_HOST_REPORT_H
#define TICKVM_REPORT_HOST_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "../error.h"
#include "../kvm_caps.h"
#include "../machine_probe.h"

struct host_facts;

/* What KVM answered. */
struct kvm_answers {
	bool usable;
	struct error refusal; /* why /dev/kvm is not usable */
	int values[KVM_CAPS]; /* of kvm_caps[], 0: lacking */
	bool probed;
	struct machine_probe probe;
};

/* The caller owns the object. NULL: out of memory. */
json_t *host_report_build(const struct host_facts *facts, const struct kvm_answers *answers);

void host_report_print(const json_t *report, FILE *out);

#endif
