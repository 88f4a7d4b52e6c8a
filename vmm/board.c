/* The machine's devices and their wiring: see board.h. */
#include "board.h"

#include "config.h"
#include "console.h"
#include "error.h"
#include "machine.h"
#include "machine_map.h"

static void on_power_off(void *opaque)
{
	machine_end(opaque, END_POWER_OFF, -1, "the guest switched the machine off");
}

static void on_reset(void *opaque)
{
	machine_end(opaque, END_RESET, -1, "the guest reset the machine");
}

/* An app's exit code stays what it is; other values are a test image's: 0 is success. */
static int code_of_debug_exit(uint32_t value)
{
	switch (value) {
	case TK_EXIT_PASS:
	case TK_EXIT_USAGE:
	case TK_EXIT_INCONCLUSIVE:
	case TK_EXIT_SKIPPED:
	case TK_EXIT_TIMEOUT:
		return (int)value;
	default:
		return TK_EXIT_FAIL;
	}
}

static void on_debug_exit(void *opaque, uint32_t value)
{
	machine_end(opaque, END_DEBUG_EXIT, code_of_debug_exit(value),
		    "debug exit: %#x written, QEMU's status %u", value, (value * 2 + 1) & 0xff);
}

/* The lock that guards a chip. */
static pthread_mutex_t *lock_of(struct board *board, pthread_mutex_t *own)
{
	return board->is_big ? &board->big_lock : own;
}

/* The wire from PM1 to the interrupt controllers. */
static int connect_sci(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;

	if (machine->config->sci == SCI_LINE) {
		board->sci_line = irqchip_line(&machine->irqchip, MAP_SCI_GSI);
		return 0;
	}
	if (irq_resample_open(&board->sci_resample, &machine->irqchip, MAP_SCI_GSI, e))
		return -1;
	board->sci_line = irq_resample_line(&board->sci_resample);
	return 0;
}

static void init_chips(struct machine *machine, struct console *console)
{
	const struct pm1_ops pm1_ops = {
		.power_off = on_power_off, .reset = on_reset, .opaque = machine};
	const struct config *config = machine->config;
	struct board *board = &machine->board;
	const struct pair_ops pair_ops = pair_host_ops(&board->pair_host);

	board->com1_line = irqchip_line(&machine->irqchip, MAP_COM1_GSI);
	uart_init(&board->uart, &board->com1_line, console_output, console);
	pmtimer_init(&board->pmtimer, &board->clock.vclock, config->pmtimer_width,
		     config->pmtimer_start);
	board->pm1_event = machine_timers_add(&machine->timers, "pm1", pm1_timer_event, &board->pm1,
					      lock_of(board, &board->pm1_lock));
	pm1_init(&board->pm1, &board->pmtimer, &board->pm1_event, &board->sci_line, &pm1_ops);
	debug_exit_init(&board->debug_exit, on_debug_exit, machine);
	pair_init(&board->pair, &pair_ops);
}

static int add_all(struct bus *bus, const struct bus_region *regions, unsigned count,
		   struct error *e)
{
	for (unsigned i = 0; i < count; i++)
		if (bus_add(bus, &regions[i], e))
			return -1;
	return 0;
}

static int add_chips(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;
	const struct bus_region regions[] = {
		uart_region(&board->uart, MAP_COM1_PORT, &board->uart_lock),
		pmtimer_region(&board->pmtimer, MAP_PM_TIMER_PORT,
			       machine->config->lock == LOCK_FREE ? NULL : &board->pmtimer_lock),
		rtc_region(&board->rtc, MAP_RTC_PORT, board_rtc_lock(board, machine->config)),
		pm1_event_region(&board->pm1, MAP_PM1_EVT_PORT, &board->pm1_lock),
		pm1_control_region(&board->pm1, MAP_PM1_CNT_PORT, &board->pm1_lock),
		pm1_reset_region(&board->pm1, MAP_RESET_PORT, &board->pm1_lock),
		debug_exit_region(&board->debug_exit, TK_DEBUG_EXIT_PORT),
	};

	return add_all(&machine->ports, regions, sizeof(regions) / sizeof(regions[0]), e);
}

static int add_pair(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;
	const struct bus_region port = pair_region(&board->pair, TK_IO_BASE);
	const struct bus_region mmio = pair_null_region(&board->pair, MAP_PAIR_NULL_BASE);

	return bus_add(&machine->ports, &port, e) || bus_add(&machine->mmio, &mmio, e) ? -1 : 0;
}

/* What plain multiboot1 test images look for, as they would find it under QEMU. */
static int add_fw_cfg(struct machine *machine, struct error *e)
{
	struct board *board = &machine->board;
	const struct bus_region region = fw_cfg_region(&board->fw_cfg, MAP_FW_CFG_PORT,
						       &board->fw_cfg_lock);
	uint64_t ram_bytes = machine->config->mem_bytes;
	uint16_t cpus = (uint16_t)machine->config->cpus;

	fw_cfg_init(&board->fw_cfg);
	if (fw_cfg_add(&board->fw_cfg, FW_CFG_RAM_SIZE, &ram_bytes, sizeof(ram_bytes)) ||
	    fw_cfg_add(&board->fw_cfg, FW_CFG_CPUS, &cpus, sizeof(cpus)) ||
	    fw_cfg_add(&board->fw_cfg, FW_CFG_CPUS_MAX, &cpus, sizeof(cpus)))
		return error_set(e, TK_EXIT_USAGE, "fw_cfg: no room");
	return bus_add(&machine->ports, &region, e);
}

/* Recursive: the main loop holds it, and calls what takes it for itself elsewhere. */
static void init_big_lock(struct board *board)
{
	pthread_mutexattr_t recursive;

	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&board->big_lock, &recursive);
	pthread_mutexattr_destroy(&recursive);
}

int board_init(struct machine *machine, enum boot_protocol protocol, struct console *console,
	       struct error *e)
{
	struct board *board = &machine->board;

	pthread_mutex_init(&board->uart_lock, NULL);
	pthread_mutex_init(&board->rtc_lock, NULL);
	pthread_mutex_init(&board->pm1_lock, NULL);
	pthread_mutex_init(&board->pmtimer_lock, NULL);
	pthread_mutex_init(&board->fw_cfg_lock, NULL);
	init_big_lock(board);
	board->is_big = machine->config->lock == LOCK_BIG;
	pair_host_init(&board->pair_host, machine);
	board->main_is_big = board->is_big || machine->config->raise_lock == RAISE_LOCK_BIG;
	virtual_clock_start(&board->clock);
	virtual_time_init(machine);
	if (machine_timers_init(&machine->timers, &board->clock, e) || connect_sci(machine, e))
		return -1;
	init_chips(machine, console);
	if (board_init_rtc(machine, e) || add_chips(machine, e))
		return -1;
	return protocol == BOOT_MULTIBOOT2 ? add_pair(machine, e) : add_fw_cfg(machine, e);
}

void board_lock_all(struct machine *machine)
{
	if (!machine->board.is_big)
		return;
	bus_guard(&machine->ports, &machine->board.big_lock);
	bus_guard(&machine->mmio, &machine->board.big_lock);
}

unsigned board_input(struct board *board, const uint8_t *bytes, unsigned count)
{
	pthread_mutex_t *lock = lock_of(board, &board->uart_lock);
	unsigned taken;

	pthread_mutex_lock(lock);
	taken = uart_input(&board->uart, bytes, count);
	pthread_mutex_unlock(lock);
	return taken;
}
