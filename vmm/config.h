/*
 * What the command line of `tickvm run` chose: filled by options.c, read by all.
 */
#ifndef TICKVM_CONFIG_H
#define TICKVM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#define CONFIG_CPUS_MAX 64

enum irqchip_kind {
	IRQCHIP_KERNEL, /* PIC, I/O APIC, LAPICs and PIT in KVM */
	IRQCHIP_SPLIT,	/* LAPICs in KVM, I/O APIC here */
};

enum pmtimer_place {
	PMTIMER_USER,	  /* read here, an exit each */
	PMTIMER_KERNEL,	  /* read inside KVM (KVM_CAP_PMTIMER) */
	PMTIMER_EXITLESS, /* read in the guest, by its TSC and a page of the contract */
};

enum lock_kind {
	LOCK_FREE,   /* none where a chip can do without, each other chip its own */
	LOCK_DEVICE, /* each chip its own */
	LOCK_BIG,    /* one for all chips, as in QEMU */
};

enum sci_kind {
	SCI_LINE,  /* each change of the level is an ioctl */
	SCI_IRQFD, /* an irqfd with resample */
};

enum rtc_clock {
	RTC_CLOCK_HOST, /* date and time follow the host's wall clock when it is set */
	RTC_CLOCK_VM,	/* they follow virtual time only */
};

enum timer_thread {
	TIMER_THREAD_MAIN, /* the devices' timers go off in the main loop */
	TIMER_THREAD_OWN,
};

enum raise_lock {
	RAISE_LOCK_NONE,
	RAISE_LOCK_BIG, /* the RTC's interrupt is raised under the big lock */
};

/* The wall clock as the machine sees it is set, so long after the start. */
struct clock_step {
	int64_t step_ns;
	uint64_t at_ns;
};
#define CONFIG_CLOCK_STEPS_MAX 16

/* By the enums above; NULL at the end. */
extern const char *const irqchip_names[];
extern const char *const pmtimer_names[];
extern const char *const lock_names[];
extern const char *const sci_names[];
extern const char *const syscalls_names[];
extern const char *const rtc_clock_names[];
extern const char *const rtc_driftfix_names[];
extern const char *const timer_thread_names[];
extern const char *const raise_lock_names[];

struct config {
	const char *image;	  /* ISO or ELF */
	char *cmdline;		  /* after "--"; NULL: the menu entry's own */
	const char *menu_entry;	  /* title or index of the grub.cfg entry; NULL: its default */
	unsigned cpus;		  /* 1 .. CONFIG_CPUS_MAX */
	uint64_t mem_bytes;	  /* whole pages, at least 2 MiB */
	int pin[CONFIG_CPUS_MAX]; /* host CPU of each vCPU; -1: not pinned */
	enum irqchip_kind irqchip;
	const char *disk_path; /* backing of the virtio block device; NULL: there is none */
	bool disk_writable;
	int pin_io;	     /* host CPU of the disk's thread; -1: not pinned */
	uint64_t timeout_ns; /* 0: none */
	enum pmtimer_place pmtimer;
	unsigned pmtimer_width; /* 24 or 32 bits */
	uint32_t pmtimer_start; /* the counter at power-on, within its width */
	enum lock_kind lock;
	enum sci_kind sci;
	int64_t rtc_base_s; /* RTC's time at the start, seconds since 1970, when rtc_base_set */
	uint32_t rtc_base_fraction_ns; /* and this */
	bool rtc_base_set;	       /* else the host's UTC, plus: */
	int64_t rtc_offset_s;	       /* 0, or local time's distance from UTC */
	enum rtc_clock rtc_clock;
	unsigned rtc_driftfix;				       /* enum rtc_driftfix */
	struct clock_step clock_steps[CONFIG_CLOCK_STEPS_MAX]; /* in the order of their times */
	unsigned clock_step_count;
	enum timer_thread timer_thread;
	enum raise_lock raise_lock;
	bool syscalls;		  /* the VMM's system calls are metered */
	unsigned syscalls_method; /* enum syscalls_method */
	bool virtual_time;	  /* time stands but for exits, and for jumps when all vCPUs halt */
	const char *json_path;	  /* result file; "-": stdout in place of the summary; NULL: none */
	bool verbose;
	bool quiet; /* no summary, the guest's output only */
};

#endif
