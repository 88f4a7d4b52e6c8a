/* Values of options that are dates and wall clocks: see options.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../kernel/abi.h"
#include "error.h"
#include "host_clock.h"
#include "options.h"

/* 64 bits of nanoseconds reach from 1677 to 2262. */
#define FIRST_S (-INT64_C(8520336000))
#define LAST_S	INT64_C(7289654399)

#define STEP_MAX_S INT64_C(1000000000)

/* What local time is ahead of UTC now. */
static int64_t local_offset_s(void)
{
	time_t now = time(NULL);
	struct tm local;

	return localtime_r(&now, &local) ? local.tm_gmtoff : 0;
}

/* ".9": nanoseconds. False: no digits, more than nine, or text after them. */
static bool take_fraction(const char *text, uint32_t *ns)
{
	uint32_t unit_ns = NS_PER_S / 10;

	if (*text++ != '.' || !*text)
		return false;
	for (*ns = 0; *text >= '0' && *text <= '9' && unit_ns; unit_ns /= 10)
		*ns += (uint32_t)(*text++ - '0') * unit_ns;
	return !*text;
}

static bool take_date(const char *text, int64_t *seconds, uint32_t *fraction_ns)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};

	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm date = {0};
		const char *end = strptime(text, formats[i], &date);
		int day = date.tm_mday;

		if (!end || (*end && (i > 0 || !take_fraction(end, fraction_ns))))
			continue;
		*seconds = timegm(&date);
		return date.tm_mday == day; /* else there is no such day: 31 April */
	}
	return false;
}

static bool take_seconds(const char *text, int64_t *seconds)
{
	char *end;

	if (text[0] != '@' || text[1] < '0' || text[1] > '9')
		return false;
	errno = 0;
	*seconds = strtoll(text + 1, &end, 10);
	return !*end && !errno;
}

int option_rtc_base(const char *option, const char *text, struct config *config, struct error *e)
{
	config->rtc_offset_s = 0;
	config->rtc_base_set = false;
	config->rtc_base_fraction_ns = 0;
	if (!strcmp(text, "utc"))
		return 0;
	if (!strcmp(text, "localtime")) {
		config->rtc_offset_s = local_offset_s();
		return 0;
	}
	config->rtc_base_set = true;
	if (!take_seconds(text, &config->rtc_base_s) &&
	    !take_date(text, &config->rtc_base_s, &config->rtc_base_fraction_ns))
		return error_set(e, TK_EXIT_USAGE,
				 "%s: %s is not utc, localtime, a date (2000-02-28T23:59:59.9) or "
				 "@seconds",
				 option, text);
	if (config->rtc_base_s < FIRST_S || config->rtc_base_s > LAST_S)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not in the years 1700 to 2200",
				 option, text);
	return 0;
}

int option_clock_step(const char *option, const char *text, struct config *config, struct error *e)
{
	struct clock_step *step = &config->clock_steps[config->clock_step_count];
	const char *at = strchr(text, '@');
	char *end;
	long long seconds;

	errno = 0;
	seconds = strtoll(text, &end, 10);
	if (!at || isspace((unsigned char)*text) || end == text || end != at || errno ||
	    llabs(seconds) > STEP_MAX_S)
		return error_set(e, TK_EXIT_USAGE, "%s: %s is not seconds @ time (-3600@2s)",
				 option, text);
	if (config->clock_step_count == CONFIG_CLOCK_STEPS_MAX)
		return error_set(e, TK_EXIT_USAGE, "%s: %s: no more than %d", option, text,
				 CONFIG_CLOCK_STEPS_MAX);
	if (option_duration(option, at + 1, &step->at_ns, e))
		return -1;
	if (config->clock_step_count && step->at_ns < step[-1].at_ns)
		return error_set(e, TK_EXIT_USAGE, "%s: %s comes before the one before it", option,
				 text);
	step->step_ns = seconds * (int64_t)NS_PER_S;
	config->clock_step_count++;
	return 0;
}
