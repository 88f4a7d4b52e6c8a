/* Quantities as people read them: four significant digits, a unit that fits. */
#ifndef TICKVM_REPORT_QUANTITY_H
#define TICKVM_REPORT_QUANTITY_H

/* "12.35" of 12.3456, "1234" of 1234.4, "0.000" of 0. The buffer is the caller's. */
struct quantity {
	char text[32];
};
struct quantity quantity_number(double value);

/* A time with its unit: "6.210 ms". */
struct quantity quantity_time(double ns);

/* The unit that suits a time, and how many ns it has. */
struct time_unit {
	const char *name;
	double ns;
};
struct time_unit time_unit_of(double ns);

#endif
