/*
 * The ACPI PM timer inside KVM (--pmtimer=kernel): KVM_CREATE_PMTIMER of the series in
 * vmm/kvm. The chip of vmm/devices stays on the bus behind it, for the accesses that
 * KVM leaves to userspace: writes, and reads of other sizes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../kernel/abi.h"
#include "config.h"
#include "error.h"
#include "host_clock.h"
#include "kvm/uapi.h"
#include "kvm_caps.h"
#include "machine.h"
#include "machine_map.h"

/*
 * What this process's CLOCK_MONOTONIC is ahead of KVM's, which is the initial time
 * namespace's (time_namespaces(7)).
 */
static int64_t time_namespace_ns(void)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	long long seconds = 0, ns = 0;

	if (!file)
		return 0;
	if (fscanf(file, "monotonic %lld %lld", &seconds, &ns) != 2)
		seconds = ns = 0;
	fclose(file);
	return seconds * (int64_t)NS_PER_S + ns;
}

int machine_create_pmtimer(const struct machine *machine, struct error *e)
{
	struct kvm_pmtimer_config config = {.port = MAP_PM_TIMER_PORT,
					    .width = (__u8)machine->config->pmtimer_width};

	if (machine->config->pmtimer != PMTIMER_KERNEL)
		return 0;
	if (kvm_need(machine->vm_fd, KVM_CAP_PMTIMER, e))
		return -1;
	/* It counts virtual time from the chip's start: both show the same at any moment. */
	config.offset_ns = time_namespace_ns() - (int64_t)machine->board.clock.origin_ns +
			   (int64_t)machine->board.pmtimer.state.start_ns;
	if (ioctl(machine->vm_fd, KVM_CREATE_PMTIMER, &config))
		return error_set(e, TK_EXIT_SKIPPED, "--pmtimer=kernel: KVM_CREATE_PMTIMER: %s",
				 strerror(errno));
	return 0;
}
