/* isa-debug-exit: see debug_exit.h. */
#include "debug_exit.h"

/* As in QEMU. */
static uint64_t debug_exit_read(void *state, struct bus_access access)
{
	return 0;
}

static void debug_exit_write(void *state, struct bus_access access, uint64_t value)
{
	const struct debug_exit *device = state;

	device->exit(device->opaque, (uint32_t)value);
}

void debug_exit_init(struct debug_exit *device, void (*exit)(void *opaque, uint32_t value),
		     void *opaque)
{
	device->exit = exit;
	device->opaque = opaque;
}

struct bus_region debug_exit_region(struct debug_exit *device, uint16_t port)
{
	return (struct bus_region){
		.name = "debug-exit",
		.base = port,
		.length = DEBUG_EXIT_PORTS,
		.sizes = 1 | 2 | 4,
		.read = debug_exit_read,
		.write = debug_exit_write,
		.state = device,
	};
}
