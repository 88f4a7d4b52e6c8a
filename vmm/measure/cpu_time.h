/*
 * CPU time and memory of this process, from the host's accounting.
 */
#ifndef TICKVM_MEASURE_CPU_TIME_H
#define TICKVM_MEASURE_CPU_TIME_H

#include <stdint.h>

#include "record.h"

/* Of the calling thread, since it began. */
struct cpu_time cpu_time_of_thread(void);

void cpu_time_add(struct cpu_time *sum, const struct cpu_time *more);

/* Largest resident set so far, KiB. */
uint64_t memory_max_rss_kib(void);

/*
 * Resident memory outside of [address, address + length), KiB. Walks the page
 * tables of the whole process: not for a path where time counts. 0: unknown.
 */
uint64_t memory_rss_besides_kib(const void *address, uint64_t length);

#endif
