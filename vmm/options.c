/* The command line of `tickvm run`: see options.h. */
#include "options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/abi.h"
#include "error.h"
#include "mutant.h"

#define MEM_DEFAULT (UINT64_C(64) << 20)
#define MEM_MIN	    (UINT64_C(2) << 20)
#define MEM_MAX	    (UINT64_C(1) << 40) /* 40 bits: what any 64-bit CPU can address */
#define PAGE_BYTES  4096

enum option_key {
	KEY_CPUS = 256,
	KEY_MEM,
	KEY_PIN,
	KEY_IRQCHIP,
	KEY_DISK,
	KEY_PIN_IO,
	KEY_TIMEOUT,
	KEY_JSON,
	KEY_SYSCALLS,
	KEY_ENTRY,
	KEY_MUTANT,
};

static const struct argp_option options[] = {
	{"cpus", KEY_CPUS, "N", 0, "virtual CPUs, 1 to 64 (1)", 0},
	{"mem", KEY_MEM, "SIZE", 0, "RAM, at least 2M; K, M, G (64M)", 0},
	{"pin", KEY_PIN, "LIST", 0, "host CPU of each vCPU: 0,1 or 0-3, or one for all", 0},
	{"irqchip", KEY_IRQCHIP, "WHERE", 0, "interrupt controllers: kernel, or split (kernel)", 0},
	{"disk", KEY_DISK, "FILE[,rw]", 0, "virtio block device on FILE, read-only without rw", 0},
	{"pin-io", KEY_PIN_IO, "CPU", 0, "host CPU of the disk's thread", 0},
	{"entry", KEY_ENTRY, "ENTRY", 0, "title or number of the grub.cfg entry", 0},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "end after 10, 10s or 500ms with code 124", 0},
	{"syscalls", KEY_SYSCALLS, "HOW", OPTION_ARG_OPTIONAL,
	 "the VMM's system calls: auto, tracepoints or strace (auto)", 0},
	{"json", KEY_JSON, "FILE", 0,
	 "write the result; - for stdout, with the guest's output on stderr", 0},
	{"verbose", 'v', 0, 0, "more in the summary", 0},
	{"quiet", 'q', 0, 0, "the guest's output only", 0},
#ifdef TICKVM_MUTANTS
	{"mutant", KEY_MUTANT, "NAME", 0, "switch a known fault on; help lists them", 0},
#endif
	{0},
};

static const char before_options[] = "Boot IMAGE (an ISO or an ELF) under KVM.";
static const char after_options[] =
	"Exit codes: 0 pass, 1 fail (a crashed or halted guest too), 2 bad option or image, "
	"3 inconclusive (stopped by a signal or Ctrl-A X too), 77 this host cannot, "
	"124 time-out. "
	"On a terminal, Ctrl-A X ends the run and Ctrl-A H helps.";

struct parse {
	struct config *config;
	struct error *error;
	const char *pin; /* taken when the number of CPUs is known */
	struct option_target chips;
};

static int parse_cpus(const char *text, struct config *config, struct error *e)
{
	uint64_t value;

	if (option_number("--cpus", text, 1, CONFIG_CPUS_MAX, &value, e))
		return -1;
	config->cpus = (unsigned)value;
	return 0;
}

static int parse_mem(const char *text, struct config *config, struct error *e)
{
	if (option_size("--mem", text, &config->mem_bytes, e))
		return -1;
	if (config->mem_bytes < MEM_MIN || config->mem_bytes > MEM_MAX)
		return error_set(e, TK_EXIT_USAGE, "--mem: %s is not in 2M..1024G", text);
	if (config->mem_bytes % PAGE_BYTES)
		return error_set(e, TK_EXIT_USAGE, "--mem: %s is not whole pages of 4K", text);
	return 0;
}

static int parse_mutant(const char *text, struct error *e)
{
#ifdef TICKVM_MUTANTS
	if (!strcmp(text, "help")) {
		mutant_list();
		exit(TK_EXIT_PASS);
	}
	if (!mutant_enable(text))
		return 0;
#endif
	return error_set(e, TK_EXIT_USAGE, "--mutant: there is no %s", text);
}

static int parse_image(char *text, struct parse *parse)
{
	if (parse->config->image)
		return error_set(parse->error, TK_EXIT_USAGE,
				 "one IMAGE, please: %s (the guest's words go after --)", text);
	parse->config->image = text;
	return 0;
}

static int parse_key(int key, char *text, struct parse *parse)
{
	struct config *config = parse->config;

	switch (key) {
	case KEY_CPUS:
		return parse_cpus(text, config, parse->error);
	case KEY_MEM:
		return parse_mem(text, config, parse->error);
	case KEY_PIN:
		parse->pin = text;
		return 0;
	case KEY_IRQCHIP:
		return option_choice("--irqchip", text, irqchip_names, &config->irqchip,
				     parse->error);
	case KEY_DISK:
		return option_disk("--disk", text, config, parse->error);
	case KEY_PIN_IO:
		return option_cpu("--pin-io", text, &config->pin_io, parse->error);
	case KEY_TIMEOUT:
		return option_duration("--timeout", text, &config->timeout_ns, parse->error);
	case KEY_JSON:
		config->json_path = text;
		return 0;
	case KEY_SYSCALLS:
		config->syscalls = true;
		return text ? option_choice("--syscalls", text, syscalls_names,
					    &config->syscalls_method, parse->error)
			    : 0;
	case KEY_ENTRY:
		config->menu_entry = text;
		return 0;
	case KEY_MUTANT:
		return parse_mutant(text, parse->error);
	case 'v':
		config->verbose = true;
		return 0;
	case 'q':
		config->quiet = true;
		return 0;
	default:
		return parse_image(text, parse);
	}
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct parse *parse = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &parse->chips;
	if (key >= ARGP_KEY_END)
		return option_event(key, state);
	return parse_key(key, text, parse) ? EINVAL : 0;
}

static int check_whole(struct parse *parse)
{
	struct config *config = parse->config;

	if (!config->image)
		return error_set(parse->error, TK_EXIT_USAGE,
				 "run: no IMAGE; tickvm run --help says more");
	if (option_chips_check(config, parse->error))
		return -1;
	if (!parse->pin)
		return 0;
	return option_cpu_list("--pin", parse->pin, config->cpus, config->pin, parse->error);
}

static void set_defaults(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->cpus = 1;
	config->mem_bytes = MEM_DEFAULT;
	config->pmtimer_width = 24;
	config->pin_io = -1;
	for (unsigned i = 0; i < CONFIG_CPUS_MAX; i++)
		config->pin[i] = -1;
}

int options_parse(int argc, char **argv, struct config *config, struct error *e)
{
	char help[sizeof(before_options) + sizeof(after_options)];
	const struct argp_child children[] = {{&option_chips, 0, NULL, 0}, {0}};
	const struct argp argp = {.options = options,
				  .parser = on_key,
				  .children = children,
				  .args_doc = "IMAGE [-- GUEST COMMAND LINE]",
				  .doc = help};
	int dashes = option_find_dashes(argc, argv);
	struct parse parse = {.config = config, .error = e, .chips = {config, e}};
	static char name[] = "tickvm run";

	set_defaults(config);
	strcat(strcat(strcpy(help, before_options), "\v"), after_options);
	e->text[0] = 0;
	e->exit_code = TK_EXIT_USAGE;
	argv[0] = name; /* getopt's messages and the help begin with it */
	if (argp_parse(&argp, dashes, argv, 0, NULL, &parse) || check_whole(&parse))
		return -1;
	if (dashes < argc)
		config->cmdline = option_join(argc - dashes - 1, argv + dashes + 1);
	return 0;
}

void options_free(struct config *config)
{
	free(config->cmdline);
}
