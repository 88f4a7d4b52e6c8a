/*
 * The record of one run: everything that was counted, timed or sent, before it
 * becomes a result. `tickvm run` fills it from KVM, `tickvm parse` from UART lines;
 * report/ turns it into the one JSON object that all output is made from.
 */
#ifndef TICKVM_MEASURE_RECORD_H
#define TICKVM_MEASURE_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../kernel/abi.h"
#include "syscalls.h"

#define RECORD_EXIT_REASONS 64 /* > the largest KVM_EXIT_* */
#define RECORD_REGIONS	    64 /* = BUS_REGIONS_MAX of the port bus and of the MMIO bus */
#define RECORD_PHASES_MAX   256

/* Userspace exits of one vCPU. Written by its thread only; plain, monotonic counters. */
struct exit_counts {
	uint64_t reason[RECORD_EXIT_REASONS];
	uint64_t port_in[RECORD_REGIONS], port_out[RECORD_REGIONS]; /* accesses, by port region */
	uint64_t mmio_read[RECORD_REGIONS], mmio_write[RECORD_REGIONS];
};

void exit_counts_add(struct exit_counts *sum, const struct exit_counts *more);
void exit_counts_subtract(struct exit_counts *from, const struct exit_counts *less);
uint64_t exit_counts_total(const struct exit_counts *counts);

/* One statistic of KVM's statistics file descriptor (Documentation/virt/kvm/api.rst 4.133). */
struct kvm_stat {
	char name[48];
	uint64_t value;
};
struct kvm_stats {
	struct kvm_stat *stats; /* summed over vCPUs where it is a vCPU's */
	unsigned count;
};

/* CPU time of threads, from the host's accounting. */
struct cpu_time {
	uint64_t user_ns, system_ns;
};

/*
 * What the guest sent under one name; grows with each message. An array that comes
 * as UART lines counts only when it is whole: until then its values lie behind
 * `count`, and a gap drops them all.
 */
struct metric {
	char name[TK_NAME_SIZE];
	char unit[TK_UNIT_SIZE];
	uint64_t *values;
	uint64_t count, capacity;
	uint64_t pending;      /* values behind `count`, of the array that is arriving */
	uint64_t array_length; /* what that array will have */
	bool dropped;	       /* the rest of that array is passed over */
};

/* A bracketed loop: what `operations` operations cost, all vCPUs together. */
struct phase {
	char name[TK_NAME_SIZE];
	uint64_t operations;
	uint64_t wall_ns;
	uint64_t vcpu_cpu_ns;	  /* CPU time of all vCPU threads */
	uint64_t io_cpu_ns;	  /* … and of the thread of --disk */
	struct exit_counts exits; /* to userspace */
	uint64_t kvm_exits;	  /* KVM's own "exits" statistic; meaningless if !kvm_exits_known */
	bool kvm_exits_known;
	uint64_t guest_instructions; /* insn_emulation on an interpreting host, else 0 */
};

enum check_status { CHECK_OK, CHECK_FAILED, CHECK_SKIPPED };

/* One KTAP result line. */
struct check {
	char name[120];
	enum check_status status;
	char detail[160]; /* reason of a skip, or the last "# " note before a failure */
};

struct run_times {
	uint64_t setup_ns; /* process start to first KVM_RUN */
	uint64_t boot_ns;  /* first KVM_RUN to TK_MARK_MAIN; 0: no mark */
	uint64_t run_ns;   /* from there to the guest's exit */
	uint64_t close_ns; /* guest's exit to VM closed */
	uint64_t clock_ns; /* virtual time at the guest's exit */
};

/* How it ended. `reason` is one clear line. */
enum run_end {
	END_EXIT,      /* the app's exit code */
	END_POWER_OFF, /* S5, no code */
	END_RESET,
	END_DEBUG_EXIT, /* isa-debug-exit: code from the value written */
	END_TRIPLE_FAULT,
	END_INTERNAL_ERROR,
	END_HALTED, /* every CPU halted with interrupts off */
	END_TIMEOUT,
	END_STOPPED, /* by a signal or Ctrl-A X */
	END_NO_EXIT, /* parse: the text ends without an exit line */
};

#define RECORD_TIMERS_MAX 8

struct record {
	char image[256];
	char cmdline[1024];
	char guest_revision[64]; /* from the guest's line; "": none */
	char backend[32];	 /* "tickvm", or "serial text" for parse */

	enum run_end end;
	int guest_code; /* enum tk_exit as the guest gave it; -1: none */
	char reason[240];

	struct run_times times;
	uint64_t boot_instructions; /* entry to main(); 0: this host does not count them */

	const char *port_names[RECORD_REGIONS]; /* bus region names; NULL past the last */
	uint16_t port_bases[RECORD_REGIONS];
	const char *mmio_names[RECORD_REGIONS];
	struct exit_counts exits;

	struct record_timer { /* of a device: how often it woke the VMM */
		const char *name;
		uint64_t wakeups;
		uint64_t late_sum_ns, late_max_ns; /* from when it was due to when it was served */
	} timers[RECORD_TIMERS_MAX];
	unsigned timer_count;
	struct { /* periodic ticks of the RTC while its interrupt was enabled */
		uint64_t due, delivered, owed, dropped;
	} rtc_ticks;

	struct syscalls syscalls; /* with --syscalls: whole after the end */

	struct kvm_stats vm_stats, vcpu_stats;
	struct cpu_time vcpu_cpu, io_cpu, vmm_cpu; /* io: the thread of --disk */
	uint64_t max_rss_kib;			   /* of the VMM, guest RAM included */
	uint64_t rss_besides_ram_kib;

	/* Guarded by `lock` while vCPUs run: */
	pthread_mutex_t lock;
	struct metric *metrics;
	unsigned metric_count;
	uint64_t value_count; /* of all metrics, pending ones included */
	struct phase *phases;
	unsigned phase_count, phases_lost; /* past RECORD_PHASES_MAX: counted, not kept */
	struct check *checks;
	unsigned check_count, checks_lost; /* past RECORD_CHECKS_MAX: counted, not kept */
	unsigned arrays_lost;		   /* arrays that came as lines, with a gap: not used */

	/* Written by the serial reader only, which its port serializes: */
	unsigned planned;	/* from the KTAP plan, all plans together; 0: none */
	unsigned guest_abi;	/* from the guest's line; 0: none */
	char message[160];	/* the last line "tickvm: …": why a guest refuses or skips */
	unsigned damaged_lines; /* pair lines whose form or sum is wrong: not used */
};

void record_init(struct record *record);
void record_free(struct record *record);

/*
 * Appends values (4 or 8 bytes wide, little endian) to the metric of this name.
 * -1: the name or unit has a character that it may not have, or is not closed by
 * NUL; the unit differs from an earlier message's; or the total would pass
 * RECORD_VALUES_MAX (a hostile guest must not fill the host's memory).
 */
#define RECORD_VALUES_MAX  (UINT64_C(16) << 20)
#define RECORD_METRICS_MAX 1024
int record_samples(struct record *record, const char *name, const char *unit, const void *values,
		   uint32_t count, uint32_t width);

/* Appends a phase; counts it as lost past RECORD_PHASES_MAX. */
void record_phase(struct record *record, const struct phase *phase);

/* Appends a check; counts it as lost past RECORD_CHECKS_MAX. */
#define RECORD_CHECKS_MAX 4096
void record_check(struct record *record, const struct check *check);

/*
 * One UART line's part of an array: values [first, first + count) of `length`.
 * Parts come in order; a gap drops the whole array and counts in arrays_lost.
 * -1 as record_samples(), or the part does not fit in `length`.
 */
struct array_part {
	const char *name, *unit;
	uint64_t first, length;
	const uint64_t *values;
	unsigned count;
};
int record_array_part(struct record *record, const struct array_part *part);

/* No more lines will come: drops the arrays that are not whole. */
void record_arrays_finish(struct record *record);

/*
 * Feeds guest serial output, any split of bytes: finds KTAP plan and results and
 * the pair's lines (abi.h), and fills checks, metrics, guest_revision, guest_code.
 * Takes the record's lock itself. Strings that reach the record are printable ASCII.
 */
struct serial_reader {
	struct record *record;
	char line[4096]; /* longer lines are ordinary text: cut and passed over */
	unsigned length;
	bool too_long;
	enum { ESCAPE_NONE, ESCAPE_SEEN, ESCAPE_CSI } escape; /* within an ANSI sequence */
	char note[160];					      /* the last "# " line */
	uint64_t next_number;				      /* of the next KTAP result */
};
void serial_reader_init(struct serial_reader *reader, struct record *record);
void serial_reader_feed(struct serial_reader *reader, const void *data, unsigned length);
void serial_reader_finish(struct serial_reader *reader); /* takes a last line without newline */

#endif
