/* Entries and returns of system calls: see syscalls_pairs.h. */
#include "syscalls_pairs.h"

#include <stddef.h>

static struct open_call *call_of(struct syscall_pairs *pairs, uint32_t thread)
{
	for (unsigned i = 0; i < pairs->threads; i++) {
		if (pairs->open[i].thread == thread)
			return &pairs->open[i];
	}
	if (pairs->threads == SYSCALLS_THREADS_MAX)
		return NULL;
	pairs->open[pairs->threads] = (struct open_call){.thread = thread, .number = -1};
	return &pairs->open[pairs->threads++];
}

void syscall_entered(struct syscall_pairs *pairs, uint32_t thread, int64_t number, uint64_t time_ns)
{
	struct open_call *call = call_of(pairs, thread);

	if (!call)
		return;
	call->number = number;
	call->since_ns = time_ns;
}

/* A call whose entry was not seen, or is seen only after its return, is counted without time. */
void syscall_returned(struct syscall_pairs *pairs, uint32_t thread, int64_t number, int64_t result,
		      uint64_t time_ns, struct syscall_table *table)
{
	struct open_call *call = call_of(pairs, thread);
	struct syscall_count *count;

	if (number < 0 || number >= SYSCALLS_MAX)
		return;
	count = &table->counts[number];
	count->calls++;
	count->errors += result < 0;
	if (call && call->number == number && time_ns > call->since_ns)
		count->ns += time_ns - call->since_ns;
	if (call)
		call->number = -1;
}
