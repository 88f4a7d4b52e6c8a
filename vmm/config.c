/* The names of what can be chosen, as the command line and the results have them. */
#include "config.h"

#include <stddef.h>

#include "devices/rtc.h"
#include "measure/syscalls.h"

const char *const irqchip_names[] = {[IRQCHIP_KERNEL] = "kernel", [IRQCHIP_SPLIT] = "split", NULL};
const char *const pmtimer_names[] = {[PMTIMER_USER] = "user",
				     [PMTIMER_KERNEL] = "kernel",
				     [PMTIMER_EXITLESS] = "exitless",
				     NULL};
const char *const lock_names[] = {
	[LOCK_FREE] = "free", [LOCK_DEVICE] = "device", [LOCK_BIG] = "big", NULL};
const char *const sci_names[] = {[SCI_LINE] = "line", [SCI_IRQFD] = "irqfd", NULL};
const char *const rtc_clock_names[] = {[RTC_CLOCK_HOST] = "host", [RTC_CLOCK_VM] = "vm", NULL};
const char *const rtc_driftfix_names[] = {
	[RTC_DRIFTFIX_NONE] = "none", [RTC_DRIFTFIX_SLEW] = "slew", NULL};
const char *const timer_thread_names[] = {
	[TIMER_THREAD_MAIN] = "main", [TIMER_THREAD_OWN] = "own", NULL};
const char *const raise_lock_names[] = {[RAISE_LOCK_NONE] = "none", [RAISE_LOCK_BIG] = "big", NULL};
const char *const syscalls_names[] = {[SYSCALLS_AUTO] = "auto",
				      [SYSCALLS_TRACEPOINTS] = "tracepoints",
				      [SYSCALLS_STRACE] = "strace",
				      NULL};
