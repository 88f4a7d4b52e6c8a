/*
 * smoke: the CI smoke image: quick, deterministic checks of all that an app stands
 * on. Passes on any PC; what a machine lacks is a skip with the reason.
 */
#include "smoke.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "apps.h"
#include "drivers/lapic.h"
#include "kernel/ktap.h"
#include "kernel/smp.h"

const struct app_key smoke_keys[] = {{NULL, NULL}};

static const struct smoke_check *const subjects[] = {
	smoke_cpu_checks,   smoke_memory_checks,
	smoke_smp_checks,   smoke_clock_checks,
	smoke_timer_checks, smoke_interrupt_checks,
	smoke_user_checks,  smoke_pair_checks,
	smoke_disk_checks,  NULL,
};

/* Why the running check failed or skips. */
static char reason[160];

enum verdict failed(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return FAIL;
}

enum verdict skipped(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return SKIP;
}

struct bracket bracket(uint64_t (*reference)(void), uint64_t (*clock)(void))
{
	struct bracket b;

	b.before = reference();
	b.value = clock();
	b.after = reference();
	return b;
}

bool brackets_agree(const struct bracket *from, const struct bracket *to, uint64_t reference_hz,
		    uint64_t ticks, uint64_t hz)
{
	unsigned __int128 measured = (unsigned __int128)ticks * reference_hz * 100;
	unsigned __int128 least = (unsigned __int128)(to->before - from->after) * hz * 99;
	unsigned __int128 most = (unsigned __int128)(to->after - from->before) * hz * 101;

	/* The reading may be a tick old: one on either side. */
	return measured + (unsigned __int128)reference_hz * 100 >= least &&
	       measured <= most + (unsigned __int128)reference_hz * 100;
}

static void run_check(const struct smoke_check *check)
{
	switch (check->run()) {
	case PASS:
		ktap_result(true, "%s", check->name);
		break;
	case FAIL:
		ktap_note("%s: %s", check->name, reason);
		ktap_result(false, "%s", check->name);
		break;
	case SKIP:
		ktap_skip(check->name, "%s", reason);
		break;
	}
}

int smoke_main(void)
{
	unsigned planned = 0;

	if (!lapic_timer_khz())
		app_exit(TK_EXIT_SKIPPED, "smoke: no local APIC timer of known rate to halt by");
	for (unsigned i = 0; subjects[i]; i++) {
		for (const struct smoke_check *check = subjects[i]; check->name; check++)
			planned++;
	}
	ktap_begin(planned);
	smp_start();
	for (unsigned i = 0; subjects[i]; i++) {
		for (const struct smoke_check *check = subjects[i]; check->name; check++)
			run_check(check);
	}
	return ktap_end();
}
