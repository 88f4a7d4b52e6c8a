/* The names of what can be chosen, as the command line and the results have them. */
#include "config.h"

#include <stddef.h>

const char *const irqchip_names[] = {[IRQCHIP_KERNEL] = "kernel", [IRQCHIP_SPLIT] = "split", NULL};
const char *const pmtimer_names[] = {[PMTIMER_USER] = "user",
				     [PMTIMER_KERNEL] = "kernel",
				     [PMTIMER_EXITLESS] = "exitless",
				     NULL};
const char *const lock_names[] = {
	[LOCK_FREE] = "free", [LOCK_DEVICE] = "device", [LOCK_BIG] = "big", NULL};
const char *const sci_names[] = {[SCI_LINE] = "line", [SCI_IRQFD] = "irqfd", NULL};
