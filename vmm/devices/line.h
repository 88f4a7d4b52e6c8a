/*
 * An interrupt line, as a device sees it: a level that it drives.
 */
#ifndef TICKVM_DEVICES_LINE_H
#define TICKVM_DEVICES_LINE_H

#include <stdbool.h>

struct irq_line {
	void (*set)(void *opaque, bool level); /* idempotent; any thread */
	void *opaque;
};

static inline void irq_line_set(const struct irq_line *line, bool level)
{
	line->set(line->opaque, level);
}

#endif
