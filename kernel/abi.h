/*
 * The pair contract: all that the guest and the VMM know of one another.
 *
 * Both halves compile this file; it includes nothing of either. The guest finds
 * the contract through the ACPI table TK_ACPI_SIGNATURE and never assumes it: a
 * guest without the table runs on any PC and sends its samples over the UART.
 *
 * Every guest-physical address that is handed over here is checked by the VMM
 * with its length before it is followed.
 */
#ifndef TICKVM_ABI_H
#define TICKVM_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Raised whenever a layout or a meaning below changes; both halves refuse any other. */
#define TK_ABI_VERSION 1

/* ACPI table: signature, and the OEM fields of all tables that tickvm makes. */
#define TK_ACPI_SIGNATURE    "TKVM"
#define TK_ACPI_OEM_ID	     "TICKVM"
#define TK_ACPI_OEM_TABLE_ID "TICKPAIR"

/* The table's body, after the 36-byte ACPI header. Little endian, packed by its own layout. */
struct tk_acpi_body {
	uint32_t abi_version;	 /* TK_ABI_VERSION of the VMM */
	uint16_t io_base;	 /* first of TK_IO_LENGTH ports */
	uint16_t io_length;	 /* TK_IO_LENGTH */
	uint64_t mmio_null_base; /* a page that reads 0 in the VMM: the MMIO twin of TK_REG_NULL */
	uint32_t tsc_khz;	 /* the guest's TSC frequency as KVM states it; 0: unknown */
	uint32_t flags;		 /* TK_FLAG_* */
	uint64_t pm_page_base;	 /* guest-physical, a struct tk_pm_page; 0: there is none */
};
/*
 * --virtual-time: the host clock below, PM timer and RTC do not go on by themselves, and
 * nothing that is compared with the TSC, kvmclock, the LAPIC timer or the PIT agrees.
 */
#define TK_FLAG_VIRTUAL_TIME 1u
_Static_assert(sizeof(struct tk_acpi_body) == 32, "tk_acpi_body is 32 bytes");
_Static_assert(offsetof(struct tk_acpi_body, mmio_null_base) == 8, "mmio_null_base at 8");
_Static_assert(offsetof(struct tk_acpi_body, tsc_khz) == 16, "tsc_khz at 16");
_Static_assert(offsetof(struct tk_acpi_body, pm_page_base) == 24, "pm_page_base at 24");

/*
 * The PM timer without an exit (--pmtimer=exitless): a page that the guest can only
 * read, as a sequence lock. While `version` is odd, or differs before and after, read
 * again. The counter is then
 *
 *   (ticks + ((tsc - tsc_base) * multiplier >> 64)) modulo 2^width
 *
 * with a 128-bit product and a TSC that is read after `version`; `ticks` has the
 * fraction that tsc_base stands for in `fraction`, in units of 2^-64 ticks, added to the
 * product's low half. width is the register's, as the FADT has it.
 */
struct tk_pm_page {
	uint32_t version;
	uint32_t flags; /* TK_PM_PAGE_VALID: else read the port */
	uint64_t tsc_base;
	uint64_t ticks, fraction;
	uint64_t multiplier; /* ticks a TSC tick, in units of 2^-64 */
};
_Static_assert(sizeof(struct tk_pm_page) == 40, "tk_pm_page is 40 bytes");
#define TK_PM_PAGE_VALID 1u

/*
 * The pair's registers: 32-bit port accesses at io_base + offset. Other sizes
 * read all ones and are ignored when written.
 */
#define TK_IO_BASE   0x580
#define TK_IO_LENGTH 0x20
enum tk_register {
	/*
	 * Read: latches the host's CLOCK_MONOTONIC (ns, 64 bits) for the reading
	 * vCPU and gives its low half; HIGH gives the high half of that latch.
	 */
	TK_REG_CLOCK_LOW = 0x00,
	TK_REG_CLOCK_HIGH = 0x04,
	/* Read: TK_ABI_VERSION of the VMM. Write: the guest's; a mismatch ends the run. */
	TK_REG_VERSION = 0x08,
	/* Write: a tk_exit code ends the run. */
	TK_REG_EXIT = 0x0c,
	/* Write: a tk_mark; the VMM notes when, and after how many instructions. */
	TK_REG_MARK = 0x10,
	/* Write: address of a struct tk_samples; the VMM has read all when the write returns. */
	TK_REG_SAMPLES = 0x14,
	/* Write: guest-physical address of a struct tk_phase. */
	TK_REG_PHASE = 0x18,
	/* Reads 0, ignores writes: the cheapest port access that reaches userspace. */
	TK_REG_NULL = 0x1c,
};

enum tk_mark {
	TK_MARK_MAIN = 1, /* main() is about to be called */
};

/* Exit codes of an app, and of tickvm itself. */
enum tk_exit {
	TK_EXIT_PASS = 0,
	TK_EXIT_FAIL = 1,
	TK_EXIT_USAGE = 2,	  /* bad image, option or key: one line named it */
	TK_EXIT_INCONCLUSIVE = 3, /* the host stalled */
	TK_EXIT_SKIPPED = 77,	  /* this host cannot, and a line said why */
	TK_EXIT_TIMEOUT = 124,
};

/* QEMU's isa-debug-exit, which tickvm has too: an exit without the contract. */
#define TK_DEBUG_EXIT_PORT 0xf4

#define TK_NAME_SIZE 40 /* of a metric or phase: [a-z0-9._-], closed by NUL */
#define TK_UNIT_SIZE 8

/* The sample channel: an array of unsigned values of one metric. */
struct tk_samples {
	char name[TK_NAME_SIZE];
	char unit[TK_UNIT_SIZE]; /* "ns", "tsc", "ticks", "count", … */
	uint64_t address;	 /* guest-physical, of the first value */
	uint32_t count;		 /* at most TK_SAMPLES_MAX a write; more come by further writes */
	uint32_t width;		 /* bytes a value: 4 or 8 */
};
_Static_assert(sizeof(struct tk_samples) == 64, "tk_samples is 64 bytes");
_Static_assert(offsetof(struct tk_samples, address) == 48, "address at 48");
#define TK_SAMPLES_MAX (1u << 20)

/*
 * A phase brackets `operations` equal operations of a measured loop, so that the
 * VMM can say what one costs in exits, CPU time and instructions. Begin: kind 1
 * (operations 0); end: kind 2. Phases do not nest.
 */
enum tk_phase_kind { TK_PHASE_BEGIN = 1, TK_PHASE_END = 2 };
struct tk_phase {
	char name[TK_NAME_SIZE];
	uint32_t kind;
	uint32_t reserved;
	uint64_t operations;
};
_Static_assert(sizeof(struct tk_phase) == 56, "tk_phase is 56 bytes");
_Static_assert(offsetof(struct tk_phase, operations) == 48, "operations at 48");

/*
 * Without the contract the same samples go out as UART lines, one per up to
 * TK_LINE_VALUES values, each a KTAP diagnostic and therefore harmless to any
 * KTAP reader:
 *
 *   # tickvm: samples NAME UNIT FIRST/COUNT V0 V1 … *SUM
 *
 * FIRST (index of the line's first value in its array) and COUNT (the array's
 * length) are decimal, values and SUM hexadecimal; SUM is tk_line_sum() of all
 * from "samples" to before the blank at the asterisk, so that a damaged line is
 * found. The line that follows app start
 *
 *   # tickvm: guest ABI REVISION
 *
 * names the image, and the last one, before the machine is switched off,
 *
 *   # tickvm: exit CODE
 *
 * carries the exit code over machines that cannot.
 */
#define TK_LINE_PREFIX "# tickvm: "
#define TK_LINE_VALUES 16

/* FNV-1a, 32 bits: one exclusive or and one multiplication a byte. */
static inline uint32_t tk_line_sum(const char *bytes, size_t length)
{
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (uint8_t)bytes[i]) * 16777619u;
	return sum;
}

#endif
