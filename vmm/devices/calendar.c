/* The calendar of the RTC: see calendar.h. */
#include "calendar.h"

#include <stdbool.h>

#define SECONDS_PER_DAY 86400
#define DAYS_PER_400	146097 /* years */

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* `month`: 1 to 12. */
static unsigned month_days(int64_t year, unsigned month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* Days from 1 January of year 1, Gregorian, to that of `year`, which may be 0. */
static int64_t days_before_year(int64_t year)
{
	int64_t past = year + 399; /* counted from 400 years earlier: nothing is negative */

	return past * 365 + past / 4 - past / 100 + past / 400 - DAYS_PER_400;
}

/* Months that there are not count as the nearest that there is; days run on into the next month. */
static int64_t day_number(const struct calendar *c)
{
	int64_t number = days_before_year(c->year) + c->day - 1;

	for (unsigned month = 1; month < c->month && month < 12; month++)
		number += month_days(c->year, month);
	return number;
}

static void set_date(struct calendar *c, int64_t number)
{
	int64_t year = number * 400 / DAYS_PER_400 + 2; /* not too low */
	unsigned month = 1;

	while (days_before_year(year) > number)
		year--;
	number -= days_before_year(year);
	for (; number >= month_days(year, month); month++)
		number -= month_days(year, month);
	c->year = (unsigned)year;
	c->month = month;
	c->day = (unsigned)number + 1;
}

void calendar_advance(struct calendar *c, uint64_t seconds)
{
	uint64_t days;

	seconds += c->hour * 3600 + c->minute * 60 + c->second;
	days = seconds / SECONDS_PER_DAY;
	c->second = seconds % 60;
	c->minute = seconds / 60 % 60;
	c->hour = seconds / 3600 % 24;
	if (!days)
		return;
	c->weekday = (c->weekday + 6 + days) % 7 + 1;
	set_date(c, day_number(c) + (int64_t)days);
}

int64_t calendar_seconds(const struct calendar *c)
{
	return day_number(c) * SECONDS_PER_DAY + c->hour * 3600 + c->minute * 60 + c->second;
}
