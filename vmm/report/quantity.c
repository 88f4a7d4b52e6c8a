/* See quantity.h. */
#include "quantity.h"

#include <stdio.h>

struct quantity quantity_number(double value)
{
	struct quantity quantity;
	int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

	snprintf(quantity.text, sizeof(quantity.text), "%.*f", decimals, value);
	return quantity;
}

struct time_unit time_unit_of(double ns)
{
	static const struct time_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};

	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (ns >= units[i].ns)
			return units[i];
	}
	return (struct time_unit){"ns", 1};
}

struct quantity quantity_time(double ns)
{
	struct time_unit unit = time_unit_of(ns);
	struct quantity quantity;

	if (unit.ns > 1)
		snprintf(quantity.text, sizeof(quantity.text), "%.22s %s",
			 quantity_number(ns / unit.ns).text, unit.name);
	else
		snprintf(quantity.text, sizeof(quantity.text), "%.0f ns", ns);
	return quantity;
}
