/* What an image boots: see loader.h. */
#include <stdio.h>
#include <string.h>

#include "../../kernel/abi.h"
#include "../error.h"
#include "elf.h"
#include "grub_cfg.h"
#include "iso9660.h"
#include "loader.h"
#include "multiboot1.h"
#include "multiboot2.h"

#define GRUB_CFG_PATH "/boot/grub/grub.cfg"

static int set_cmdline(char *to, const char *name, const char *arguments, struct error *e)
{
	const char *between = *name && *arguments ? " " : "";

	if (snprintf(to, BOOT_CMDLINE_MAX, "%s%s%s", name, between, arguments) >= BOOT_CMDLINE_MAX)
		return error_set(e, TK_EXIT_USAGE, "guest command line: over %u bytes",
				 BOOT_CMDLINE_MAX - 1);
	return 0;
}

static int plan_entry(const struct iso9660 *iso, const struct grub_entry *entry,
		      const char *cmdline, struct boot_plan *plan, struct error *e)
{
	plan->protocol = entry->protocol;
	plan->module_count = entry->module_count;
	if (iso9660_find(iso, entry->kernel.path, &plan->kernel, e) < 0)
		return -1;
	for (unsigned i = 0; i < entry->module_count; i++) {
		if (iso9660_find(iso, entry->modules[i].path, &plan->modules[i].file, e) < 0)
			return -1;
		memcpy(plan->modules[i].cmdline, entry->modules[i].cmdline, BOOT_CMDLINE_MAX);
	}
	return set_cmdline(plan->cmdline, "", cmdline ? cmdline : entry->kernel.cmdline, e);
}

static int plan_iso(struct view image, const char *menu_entry, const char *cmdline,
		    struct boot_plan *plan, struct error *e)
{
	struct grub_entry entry;
	struct iso9660 iso;
	struct view text;

	if (iso9660_open(image, &iso, e) < 0 || iso9660_find(&iso, GRUB_CFG_PATH, &text, e) < 0 ||
	    grub_cfg_read(text, menu_entry, &entry, e) < 0)
		return -1;
	return plan_entry(&iso, &entry, cmdline, plan, e);
}

static int find_protocol(struct view image, enum boot_protocol *protocol, struct error *e)
{
	struct multiboot2_header header2;
	struct multiboot1_header header1;
	int found = multiboot2_find(image, &header2, e);

	*protocol = BOOT_MULTIBOOT2;
	if (found)
		return found;
	*protocol = BOOT_MULTIBOOT1;
	return multiboot1_find(image, &header1, e);
}

/*
 * A multiboot1 kernel gets its file's name before its arguments, as from QEMU's
 * -kernel: test images take it for argv[0]. A multiboot2 one does not, as from GRUB.
 */
static int plan_kernel(struct view image, const char *cmdline, struct boot_plan *plan,
		       struct error *e)
{
	int found = find_protocol(image, &plan->protocol, e);
	struct elf elf;
	const char *name;

	if (found < 0)
		return -1;
	if (!found && !elf_is(image))
		return error_set(e, TK_EXIT_USAGE,
				 "image: neither ISO 9660 nor a multiboot kernel");
	/* A damaged ELF is named as that before a header is missed in it. */
	if (!found && elf_open(image, &elf, e) < 0)
		return -1;
	if (!found)
		return error_set(e, TK_EXIT_USAGE,
				 "image: an ELF without a multiboot2 or multiboot1 header");
	plan->kernel = image;
	name = plan->protocol == BOOT_MULTIBOOT1 && image.path ? image.path : "";
	return set_cmdline(plan->cmdline, name, cmdline ? cmdline : "", e);
}

int boot_plan_read(struct view image, const char *menu_entry, const char *cmdline,
		   struct boot_plan *plan, struct error *e)
{
	*plan = (struct boot_plan){0};
	if (iso9660_is(image))
		return plan_iso(image, menu_entry, cmdline, plan, e);
	if (menu_entry)
		return error_set(e, TK_EXIT_USAGE,
				 "menu entry \"%s\": the image is no ISO with a menu", menu_entry);
	return plan_kernel(image, cmdline, plan, e);
}

int boot_plan_append(struct boot_plan *plan, const char *words, struct error *e)
{
	char arguments[BOOT_CMDLINE_MAX];

	memcpy(arguments, plan->cmdline, sizeof(arguments));
	return set_cmdline(plan->cmdline, arguments, words, e);
}
