/*
 * Symbol names for addresses, from the table that scripts/ksyms makes of the linked
 * image: by address, ended by an address of all ones.
 */
#include "fault.h"

#include <stddef.h>

#include "text.h"

struct ksym {
	uint32_t address, name; /* offset in ksyms_names */
};
extern const struct ksym ksyms[];
extern const char ksyms_names[];
extern const char text_start[], text_end[];

#define LAST 0xffffffff

bool ksyms_is_code(uint64_t address)
{
	return address >= (uintptr_t)text_start && address < (uintptr_t)text_end;
}

void ksyms_append(struct text *text, uint64_t address)
{
	const struct ksym *found = NULL;

	for (const struct ksym *s = ksyms; s->address != LAST && s->address <= address; s++)
		found = s;
	if (!found || !ksyms_is_code(address)) {
		text_string(text, "0x");
		text_hex(text, address);
		return;
	}
	text_string(text, ksyms_names + found->name);
	text_string(text, "+0x");
	text_hex(text, address - found->address);
}
