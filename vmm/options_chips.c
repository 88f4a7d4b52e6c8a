/* The options of `tickvm run` that are about chips, their locks and their time: see options.h. */
#include <errno.h>

#include "../kernel/abi.h"
#include "error.h"
#include "options.h"

enum option_key {
	KEY_PMTIMER = OPTION_KEYS_CHIPS,
	KEY_PMTIMER_WIDTH,
	KEY_PMTIMER_START,
	KEY_LOCK,
	KEY_SCI,
	KEY_RTC_BASE,
	KEY_RTC_CLOCK,
	KEY_RTC_DRIFTFIX,
	KEY_HOST_CLOCK_STEP,
	KEY_TIMER_THREAD,
	KEY_RAISE_LOCK,
	KEY_VIRTUAL_TIME,
};

static const struct argp_option options[] = {
	{"pmtimer", KEY_PMTIMER, "WHERE", 0, "ACPI PM timer: user, kernel, or exitless (user)", 0},
	{"pmtimer-width", KEY_PMTIMER_WIDTH, "BITS", 0, "24 or 32 (24)", 0},
	{"pmtimer-start", KEY_PMTIMER_START, "TICKS", 0, "at power-on: 8387608, 0x7ffc18 (0)", 0},
	{"lock", KEY_LOCK, "KIND", 0, "of chips: free where they can, device, or big (free)", 0},
	{"sci", KEY_SCI, "WAY", 0, "ACPI's interrupt: line, or irqfd with resample (line)", 0},
	{"rtc-base", KEY_RTC_BASE, "TIME", 0,
	 "utc, localtime, 2000-02-28T23:59:59.9 or @seconds (utc)", 0},
	{"rtc-clock", KEY_RTC_CLOCK, "CLOCK", 0, "date and time follow: host, or vm (host)", 0},
	{"rtc-driftfix", KEY_RTC_DRIFTFIX, "WAY", 0, "of missed ticks: none, or slew (none)", 0},
	{"host-clock-step", KEY_HOST_CLOCK_STEP, "S@T", 0,
	 "the host's clock as seen is set by S at T: -3600@2s", 0},
	{"timer-thread", KEY_TIMER_THREAD, "WHICH", 0, "of devices' timers: main, or own (main)",
	 0},
	{"raise-lock", KEY_RAISE_LOCK, "KIND", 0, "of the RTC's interrupt: none, or big (none)", 0},
	{"virtual-time", KEY_VIRTUAL_TIME, 0, 0, "time jumps when all vCPUs halt", 0},
	{0},
};

static int parse_pmtimer_width(const char *text, struct config *config, struct error *e)
{
	static const char *const widths[] = {"24", "32", NULL};
	unsigned choice = 0;
	int result = option_choice("--pmtimer-width", text, widths, &choice, e);

	config->pmtimer_width = choice ? 32 : 24;
	return result;
}

static int parse_rtc(int key, const char *text, struct config *config, struct error *e)
{
	switch (key) {
	case KEY_RTC_BASE:
		return option_rtc_base("--rtc-base", text, config, e);
	case KEY_RTC_CLOCK:
		return option_choice("--rtc-clock", text, rtc_clock_names, &config->rtc_clock, e);
	case KEY_RTC_DRIFTFIX:
		return option_choice("--rtc-driftfix", text, rtc_driftfix_names,
				     &config->rtc_driftfix, e);
	case KEY_HOST_CLOCK_STEP:
		return option_clock_step("--host-clock-step", text, config, e);
	case KEY_RAISE_LOCK:
		return option_choice("--raise-lock", text, raise_lock_names, &config->raise_lock,
				     e);
	default:
		return 0;
	}
}

static int parse_key(int key, const char *text, struct config *config, struct error *e)
{
	switch (key) {
	case KEY_PMTIMER:
		return option_choice("--pmtimer", text, pmtimer_names, &config->pmtimer, e);
	case KEY_PMTIMER_WIDTH:
		return parse_pmtimer_width(text, config, e);
	case KEY_PMTIMER_START:
		return option_counter("--pmtimer-start", text, &config->pmtimer_start, e);
	case KEY_LOCK:
		return option_choice("--lock", text, lock_names, &config->lock, e);
	case KEY_SCI:
		return option_choice("--sci", text, sci_names, &config->sci, e);
	case KEY_TIMER_THREAD:
		return option_choice("--timer-thread", text, timer_thread_names,
				     &config->timer_thread, e);
	case KEY_VIRTUAL_TIME:
		config->virtual_time = true;
		return 0;
	default:
		return parse_rtc(key, text, config, e);
	}
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	const struct option_target *target = state->input;

	if (key < OPTION_KEYS_CHIPS || key > KEY_VIRTUAL_TIME)
		return option_event(key, state);
	return parse_key(key, text, target->config, target->error) ? EINVAL : 0;
}

const struct argp option_chips = {.options = options, .parser = on_key};

int option_chips_check(const struct config *config, struct error *e)
{
	if (config->pmtimer_start > UINT32_MAX >> (32 - config->pmtimer_width))
		return error_set(e, TK_EXIT_USAGE,
				 "--pmtimer-start: %u is not in %u bits (--pmtimer-width)",
				 config->pmtimer_start, config->pmtimer_width);
	if (config->virtual_time && config->pmtimer != PMTIMER_USER)
		return error_set(e, TK_EXIT_USAGE,
				 "--virtual-time: --pmtimer=%s reads the host's clock",
				 pmtimer_names[config->pmtimer]);
	if (config->virtual_time && config->sci == SCI_IRQFD)
		return error_set(e, TK_EXIT_USAGE,
				 "--virtual-time: with --sci=irqfd time jumps before the interrupt "
				 "has come");
	return 0;
}
