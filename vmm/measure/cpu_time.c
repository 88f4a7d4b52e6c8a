/* CPU time and memory of this process: see cpu_time.h. */
#include "cpu_time.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

#include "../host_clock.h"

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

struct cpu_time cpu_time_of_thread(void)
{
	struct rusage usage;
	struct cpu_time time = {0};

	if (getrusage(RUSAGE_THREAD, &usage) == 0) {
		time.user_ns = timeval_ns(usage.ru_utime);
		time.system_ns = timeval_ns(usage.ru_stime);
	}
	return time;
}

void cpu_time_add(struct cpu_time *sum, const struct cpu_time *more)
{
	sum->user_ns += more->user_ns;
	sum->system_ns += more->system_ns;
}

uint64_t memory_max_rss_kib(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss;
}

uint64_t memory_rss_besides_kib(const void *address, uint64_t length)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	uint64_t kib = 0;
	bool outside = true;
	char line[512];

	if (!smaps)
		return 0;
	while (fgets(line, sizeof(line), smaps)) {
		unsigned long long start, end, rss;

		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			outside = start - (uintptr_t)address >= length;
		else if (outside && sscanf(line, "Rss: %llu kB", &rss) == 1)
			kib += rss;
	}
	fclose(smaps);
	return kib;
}
