/*
 * From boot.S to an app's main(), on the boot CPU.
 */
#include <stdlib.h>

#include "app.h"
#include "boot.h"
#include "console.h"
#include "cpu.h"
#include "driver.h"
#include "memory.h"
#include "pair.h"
#include "revision.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

_Noreturn void kernel_start(uint32_t magic, uint32_t info);

static void announce(void)
{
	static const char line[] = TK_LINE_PREFIX
		"guest " STRING(TK_ABI_VERSION) " " TICKVM_REVISION "\n";

	console_write(line, sizeof(line) - 1);
}

/* The console comes first in the table, so that the line is seen where there is one. */
static _Noreturn void refuse_loader(uint32_t magic)
{
	driver_table[0].probe();
	app_exit(TK_EXIT_USAGE, "started by neither multiboot2 nor PVH (EAX 0x%x)",
		 (unsigned)magic);
}

void kernel_start(uint32_t magic, uint32_t info)
{
	const struct app *app;
	bool known;

	cpu_early(&boot_area);
	cpu_load_tss(&boot_area, 0);
	smp_init(&boot_area.cpu);
	entry_note(ENTRY_MAIN, ENTRY_ALIGNED());
	known = bootinfo_read(magic, info);
	memory_init(bootinfo()->ram_start, bootinfo()->ram_end);
	newlib_init();
	options_split();
	if (!known)
		refuse_loader(magic);
	for (const struct driver *driver = driver_table; driver->name; driver++)
		driver->probe();
	announce();
	app = options_check();
	pair_mark(TK_MARK_MAIN);
	exit(app->main());
}
