/* Whose an instruction is: see path_length_owners.h. */
#include "path_length_owners.h"

#include "../../kernel/abi.h"
#include "../error.h"

#define LOW_MEMORY_END 0x100000
#define HIGH_HALF      (UINT64_C(1) << 63)
/* Stack, vDSO and libraries of an x86-64 process (Linux, arch/x86/include/asm/processor.h). */
#define MMAP_TOP_REGION UINT64_C(0x700000000000)

const char *path_owner_name(enum path_owner owner)
{
	static const char *const names[OWNERS] = {"guest", "vmm", "kernel"};

	return names[owner];
}

static int read_elf_file(const char *path, struct symbols *symbols, struct error *e)
{
	struct view file;
	int result;

	if (view_map(path, &file, e))
		return -1;
	result = symbols_read_elf(file, symbols, e);
	view_unmap(&file);
	return result;
}

/* The kernel of an ISO or of an ELF file, as it is booted. */
static int read_image(const struct path_length_files *files, struct symbols *symbols,
		      struct error *e)
{
	static struct boot_plan plan; /* too large for a stack */
	struct view image;
	int result;

	if (view_map(files->image, &image, e))
		return -1;
	result = boot_plan_read(image, files->menu_entry, NULL, &plan, e);
	if (result == 0)
		result = symbols_read_elf(plan.kernel, symbols, e);
	view_unmap(&image);
	return result;
}

static int read_kallsyms(const char *path, struct symbols *symbols, struct error *e)
{
	struct view text;
	int result;

	if (view_map(path, &text, e))
		return -1;
	result = symbols_read_kallsyms(text, symbols, e);
	view_unmap(&text);
	if (result == 0 && symbols->count == 0)
		return error_set(e, TK_EXIT_FAIL, "%s: no addresses of a kernel's functions", path);
	return result;
}

static int check_apart(const struct path_owners *owners, struct error *e)
{
	const struct symbols *guest = &owners->guest, *vmm = &owners->vmm;

	if (guest->high <= vmm->low || vmm->high <= guest->low)
		return 0;
	return error_set(e, TK_EXIT_USAGE,
			 "the image's addresses 0x%llx to 0x%llx are tickvm's, too: whose an "
			 "instruction is cannot be told",
			 (unsigned long long)guest->low, (unsigned long long)guest->high);
}

int path_owners_read(const struct path_length_files *files, struct path_owners *owners,
		     struct error *e)
{
	*owners = (struct path_owners){0};
	if (read_elf_file(files->vmm, &owners->vmm, e) == 0 &&
	    read_image(files, &owners->guest, e) == 0 &&
	    read_kallsyms(files->kallsyms, &owners->kernel, e) == 0 && check_apart(owners, e) == 0)
		return 0;
	path_owners_free(owners);
	return -1;
}

void path_owners_free(struct path_owners *owners)
{
	symbols_free(&owners->guest);
	symbols_free(&owners->vmm);
	symbols_free(&owners->kernel);
}

static const char *find_in(const struct symbols *symbols, uint64_t address)
{
	const char *symbol = symbols_find(symbols, address);

	return symbol ? symbol : "[unknown]";
}

static bool holds(const struct symbols *symbols, uint64_t address)
{
	return address >= symbols->low && address < symbols->high;
}

const char *path_owners_find(const struct path_owners *owners, uint64_t address,
			     enum path_owner *owner)
{
	*owner = OWNER_KERNEL;
	if (address & HIGH_HALF)
		return find_in(&owners->kernel, address);
	*owner = OWNER_VMM;
	if (holds(&owners->vmm, address))
		return find_in(&owners->vmm, address);
	*owner = OWNER_GUEST;
	if (holds(&owners->guest, address))
		return find_in(&owners->guest, address);
	if (address < LOW_MEMORY_END)
		return "[low memory]";
	*owner = OWNER_VMM;
	return address >= MMAP_TOP_REGION ? "[vdso]" : "[other user space]";
}
