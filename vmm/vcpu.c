/* A virtual CPU and its thread: see vcpu.h. */
#include "vcpu.h"

#include <errno.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "host_clock.h"
#include "loader/loader.h"
#include "machine.h"
#include "measure/cpu_time.h"

#define KICK_SIGNAL SIGRTMIN

static void ignore_kick(int signal)
{
	(void)signal; /* its arrival is all that counts: KVM_RUN returns EINTR */
}

void vcpu_init_kick(void)
{
	struct sigaction action = {.sa_handler = ignore_kick};

	sigaction(KICK_SIGNAL, &action, NULL);
}

static int map_run(struct vcpu *vcpu, struct error *e)
{
	int size = ioctl(vcpu->machine->kvm_fd, KVM_GET_VCPU_MMAP_SIZE, 0);
	void *run = MAP_FAILED;

	if (size > 0)
		run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
	if (run == MAP_FAILED)
		return error_set(e, TK_EXIT_SKIPPED, "vCPU %u: mmap: %s", vcpu->index,
				 strerror(errno));
	vcpu->run = run;
	vcpu->run_size = (size_t)size;
	return 0;
}

static uint32_t read_tsc_khz(int vcpu_fd)
{
	int khz = ioctl(vcpu_fd, KVM_GET_TSC_KHZ, 0);

	return khz > 0 ? (uint32_t)khz : 0;
}

int vcpu_create(struct vcpu *vcpu, struct machine *machine, unsigned index,
		const struct kvm_cpuid2 *cpuid, struct error *e)
{
	vcpu->machine = machine;
	vcpu->index = index;
	vcpu->fd = ioctl(machine->vm_fd, KVM_CREATE_VCPU, index);
	if (vcpu->fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "--cpus: KVM cannot create vCPU %u: %s", index,
				 strerror(errno));
	if (machine->tsc_khz == 0)
		machine->tsc_khz = read_tsc_khz(vcpu->fd);
	vcpu->stats_fd = kvm_stats_open(vcpu->fd);
	if (map_run(vcpu, e))
		return -1;
	return vcpu_set_cpuid(vcpu, cpuid, machine->config->cpus, e);
}

void vcpu_destroy(struct vcpu *vcpu)
{
	if (vcpu->run)
		munmap(vcpu->run, vcpu->run_size);
	if (vcpu->stats_fd >= 0)
		close(vcpu->stats_fd);
	if (vcpu->fd >= 0)
		close(vcpu->fd);
}

int vcpu_set_entry(struct vcpu *vcpu, const struct boot_entry *entry, struct error *e)
{
	const struct kvm_segment code = {.limit = UINT32_MAX,
					 .selector = 0x08,
					 .type = 0xb,
					 .present = 1,
					 .db = 1,
					 .s = 1,
					 .g = 1};
	const struct kvm_segment data = {.limit = UINT32_MAX,
					 .selector = 0x10,
					 .type = 0x3,
					 .present = 1,
					 .db = 1,
					 .s = 1,
					 .g = 1};
	const struct kvm_regs regs = {
		.rip = entry->eip, .rax = entry->eax, .rbx = entry->ebx, .rflags = 0x2};
	struct kvm_sregs sregs;

	if (ioctl(vcpu->fd, KVM_GET_SREGS, &sregs))
		return error_set(e, TK_EXIT_SKIPPED, "KVM_GET_SREGS: %s", strerror(errno));
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.cr0 = 0x11; /* PE, ET */
	if (ioctl(vcpu->fd, KVM_SET_SREGS, &sregs) || ioctl(vcpu->fd, KVM_SET_REGS, &regs))
		return error_set(e, TK_EXIT_SKIPPED, "entry registers: %s", strerror(errno));
	return 0;
}

/* ---- kicks ---- */

/* A halted vCPU that has one is about to wake: its state says so only when it runs. */
static bool interrupt_pending(const struct vcpu *vcpu)
{
	enum { IRR = 0x200, REGISTERS = 8, STRIDE = 0x10 };
	struct kvm_lapic_state lapic;
	uint32_t any = 0, irr;

	if (ioctl(vcpu->fd, KVM_GET_LAPIC, &lapic))
		return false;
	for (unsigned i = 0; i < REGISTERS; i++) {
		memcpy(&irr, lapic.regs + IRR + i * STRIDE, sizeof(irr));
		any |= irr;
	}
	return any;
}

static void answer(struct vcpu *vcpu, unsigned asked)
{
	struct machine *machine = vcpu->machine;
	struct kvm_mp_state mp = {0};
	struct kvm_regs regs = {0};
	bool pending = machine->virtual_time.on && interrupt_pending(vcpu);

	ioctl(vcpu->fd, KVM_GET_MP_STATE, &mp);
	ioctl(vcpu->fd, KVM_GET_REGS, &regs);
	pthread_mutex_lock(&machine->reports_lock);
	vcpu->look.mp_state = mp.mp_state;
	vcpu->look.interrupts_on = regs.rflags & 0x200;
	vcpu->look.interrupt_pending = pending;
	vcpu->look.rip = regs.rip;
	vcpu->answered = asked;
	pthread_cond_broadcast(&machine->reported);
	pthread_mutex_unlock(&machine->reports_lock);
}

/*
 * After a kick, or a signal that was meant for nobody. immediate_exit is cleared
 * before the wishes are read: one that is made after that sets it again.
 */
static void on_kick(struct vcpu *vcpu)
{
	unsigned asked;

	__atomic_store_n(&vcpu->run->immediate_exit, 0, __ATOMIC_SEQ_CST);
	vcpu_count(&vcpu->counts.reason[KVM_EXIT_INTR], 1);
	asked = atomic_load(&vcpu->asked);
	if (asked != vcpu->answered)
		answer(vcpu, asked);
}

void vcpu_kick(struct vcpu *vcpu)
{
	__atomic_store_n(&vcpu->run->immediate_exit, 1, __ATOMIC_SEQ_CST);
	if (atomic_load(&vcpu->running))
		pthread_kill(vcpu->self, KICK_SIGNAL);
}

void vcpu_ask(struct vcpu *vcpu)
{
	atomic_fetch_add(&vcpu->asked, 1);
	vcpu_kick(vcpu);
}

/* ---- the thread ---- */

/*
 * The end needs no look on the way from an exit to the next KVM_RUN: it comes with
 * a kick, which KVM_RUN answers at once, after it has completed the last exit.
 */
static void run(struct vcpu *vcpu, void (*serve)(struct vcpu *vcpu))
{
	while (true) {
		if (ioctl(vcpu->fd, KVM_RUN, 0) == 0) {
			serve(vcpu);
			continue;
		}
		if (errno != EINTR && errno != EAGAIN) {
			machine_end(vcpu->machine, END_INTERNAL_ERROR, -1, "KVM_RUN on CPU %u: %s",
				    vcpu->index, strerror(errno));
			return;
		}
		on_kick(vcpu);
		if (ending_is_over(&vcpu->machine->ending))
			return;
	}
}

static void serve_in_virtual_time(struct vcpu *vcpu)
{
	vcpu_serve_exit(vcpu);
	virtual_time_exit(vcpu->machine);
}

static void report_stopped(struct vcpu *vcpu)
{
	pthread_mutex_lock(&vcpu->machine->reports_lock);
	vcpu->stopped = true;
	pthread_cond_broadcast(&vcpu->machine->reported);
	pthread_mutex_unlock(&vcpu->machine->reports_lock);
}

void *vcpu_thread(void *opaque)
{
	struct vcpu *vcpu = opaque;

	vcpu->self = pthread_self();
	pthread_getcpuclockid(vcpu->self, &vcpu->cpu_clock);
	atomic_store(&vcpu->running, true);
	if (vcpu->machine->virtual_time.on)
		run(vcpu, serve_in_virtual_time);
	else
		run(vcpu, vcpu_serve_exit);
	vcpu->cpu_time = cpu_time_of_thread();
	atomic_store(&vcpu->running, false);
	report_stopped(vcpu);
	return NULL;
}

uint64_t vcpu_cpu_ns(struct vcpu *vcpu)
{
	return atomic_load(&vcpu->running) ? host_clock_ns(vcpu->cpu_clock) : 0;
}

void vcpu_counts(const struct vcpu *vcpu, struct exit_counts *copy)
{
	const uint64_t *from = (const uint64_t *)&vcpu->counts;
	uint64_t *to = (uint64_t *)copy;

	for (size_t i = 0; i < sizeof(*copy) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}
