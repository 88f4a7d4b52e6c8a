/* The machine: see machine.h. */
#include "machine.h"

#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config.h"
#include "error.h"
#include "host_clock.h"
#include "kvm_caps.h"
#include "loader/loader.h"
#include "machine_map.h"
#include "measure/cpu_time.h"
#include "memory.h"

#define PAGE_BYTES 4096

static int create_vm(struct machine *machine, struct error *e)
{
	machine->kvm_fd = kvm_open(e);
	if (machine->kvm_fd < 0 || kvm_need(machine->kvm_fd, KVM_CAP_IMMEDIATE_EXIT, e))
		return -1;
	do {
		machine->vm_fd = ioctl(machine->kvm_fd, KVM_CREATE_VM, 0);
	} while (machine->vm_fd < 0 && errno == EINTR);
	if (machine->vm_fd < 0)
		return error_set(e, TK_EXIT_SKIPPED, "KVM_CREATE_VM: %s", strerror(errno));
	return 0;
}

static int set_slot(const struct machine *machine, unsigned slot, uint64_t guest, uint64_t bytes,
		    const void *host, struct error *e)
{
	struct kvm_userspace_memory_region region = {.slot = slot,
						     .guest_phys_addr = guest,
						     .memory_size = bytes,
						     .userspace_addr = (uintptr_t)host};

	if (bytes && ioctl(machine->vm_fd, KVM_SET_USER_MEMORY_REGION, &region))
		return error_set(e, TK_EXIT_SKIPPED, "--mem: KVM cannot take RAM at %#llx: %s",
				 (unsigned long long)guest, strerror(errno));
	return 0;
}

/*
 * Slots come before the interrupt controllers: those leave a grace period running in
 * KVM that a slot would have to wait for, 5 ms and more, and the guest need not.
 */
static int add_memory(struct machine *machine, struct error *e)
{
	uint64_t identity_map = MAP_KVM_TSS_BASE - PAGE_BYTES;
	struct ram *ram = &machine->ram;

	if (memory_allocate(ram, machine->config->mem_bytes, e))
		return -1;
	if (ioctl(machine->vm_fd, KVM_SET_IDENTITY_MAP_ADDR, &identity_map) ||
	    ioctl(machine->vm_fd, KVM_SET_TSS_ADDR, (unsigned long)MAP_KVM_TSS_BASE))
		return error_set(e, TK_EXIT_SKIPPED, "KVM_SET_TSS_ADDR: %s", strerror(errno));
	if (set_slot(machine, 0, 0, ram->low_size, ram->host, e))
		return -1;
	return set_slot(machine, 1, RAM_HIGH_BASE, ram->high_size, ram->host + ram->low_size, e);
}

static int create_vcpus(struct machine *machine, struct error *e)
{
	unsigned cpus = machine->config->cpus;
	struct kvm_cpuid2 *cpuid = vcpu_supported_cpuid(machine->kvm_fd, e);
	int result = 0;

	if (!cpuid)
		return -1;
	machine->vcpus = aligned_alloc(_Alignof(struct vcpu), cpus * sizeof(struct vcpu));
	if (!machine->vcpus) {
		free(cpuid);
		return error_set(e, TK_EXIT_SKIPPED, "out of memory");
	}
	while (result == 0 && machine->vcpu_count < cpus) {
		struct vcpu *vcpu = &machine->vcpus[machine->vcpu_count];

		memset(vcpu, 0, sizeof(*vcpu));
		vcpu->fd = vcpu->stats_fd = -1;
		result = vcpu_create(vcpu, machine, machine->vcpu_count++, cpuid, e);
	}
	free(cpuid);
	return result;
}

int machine_create(struct machine *machine, const struct config *config, struct record *record,
		   struct error *e)
{
	memset(machine, 0, sizeof(*machine));
	machine->kvm_fd = machine->vm_fd = machine->vm_stats_fd = machine->timers.fd = -1;
	machine->wall_clock.fd = machine->board.rtc_edge.event_fd = -1;
	machine->board.sci_resample.raise_fd = machine->board.sci_resample.ended_fd = -1;
	machine->config = config;
	machine->record = record;
	pthread_mutex_init(&machine->reports_lock, NULL);
	pthread_cond_init(&machine->reported, NULL);
	bus_init(&machine->ports, machine->port_table);
	bus_init(&machine->mmio, NULL);
	if (ending_init(&machine->ending, e) || create_vm(machine, e) || add_memory(machine, e) ||
	    machine_pm_page_create(machine, e) ||
	    irqchip_create(&machine->irqchip, machine->vm_fd, config->irqchip, e) ||
	    create_vcpus(machine, e))
		return -1;
	machine->vm_stats_fd = kvm_stats_open(machine->vm_fd);
	kvm_stats_layout_read(&machine->vm_stats, machine->vm_stats_fd);
	kvm_stats_layout_read(&machine->vcpu_stats, machine->vcpus[0].stats_fd);
	return 0;
}

/* Virtual time has no wall clock to follow but what --host-clock-step says. */
static int watch_wall_clock(struct machine *machine, struct error *e)
{
	const struct config *config = machine->config;

	if (config->rtc_clock != RTC_CLOCK_HOST || config->virtual_time)
		return 0;
	return wall_clock_watch(&machine->wall_clock, e);
}

int machine_load(struct machine *machine, const struct boot_plan *plan, struct console *console,
		 struct error *e)
{
	const struct acpi_config acpi = {.cpus = machine->config->cpus,
					 .ioapic = true,
					 .pmtimer_width = machine->config->pmtimer_width,
					 .tsc_khz = machine->tsc_khz,
					 .pm_page_base = machine->pm_page.page ? MAP_PM_PAGE_BASE
									       : 0,
					 .virtual_time = machine->config->virtual_time,
					 .pair = plan->protocol == BOOT_MULTIBOOT2};
	struct boot_entry entry;

	if (board_init(machine, plan->protocol, console, e) || watch_wall_clock(machine, e) ||
	    machine_create_pmtimer(machine, e) ||
	    irqchip_add_regions(&machine->irqchip, &machine->ports, &machine->mmio, e) ||
	    machine_disk_create(machine, e) || machine_pm_page_start(machine, e) ||
	    boot_load(plan, &acpi, &machine->ram, &entry, e))
		return -1;
	board_lock_all(machine);
	return vcpu_set_entry(&machine->vcpus[0], &entry, e);
}

static void measure_timers(struct machine *machine, struct record *record)
{
	const struct machine_timers *timers = &machine->timers;
	struct rtc_ticks ticks = rtc_ticks(&machine->board.rtc);

	_Static_assert(RECORD_TIMERS_MAX >= MACHINE_TIMERS_MAX, "room for all");
	for (unsigned i = 0; i < timers->count; i++)
		record->timers[i] = (struct record_timer){
			.name = timers->timers[i].name,
			.wakeups = timers->timers[i].wakeups,
			.late_sum_ns = timers->timers[i].late_sum_ns,
			.late_max_ns = timers->timers[i].late_max_ns,
		};
	record->timer_count = timers->count;
	record->rtc_ticks.due = ticks.due;
	record->rtc_ticks.delivered = ticks.delivered;
	record->rtc_ticks.owed = ticks.owed;
	record->rtc_ticks.dropped = ticks.dropped;
}

void machine_measure(struct machine *machine)
{
	struct record *record = machine->record;

	measure_timers(machine, record);
	kvm_stats_add(&record->vm_stats, &machine->vm_stats, machine->vm_stats_fd);
	for (unsigned i = 0; i < machine->vcpu_count; i++) {
		struct vcpu *vcpu = &machine->vcpus[i];

		exit_counts_add(&record->exits, &vcpu->counts);
		kvm_stats_add(&record->vcpu_stats, &machine->vcpu_stats, vcpu->stats_fd);
		cpu_time_add(&record->vcpu_cpu, &vcpu->cpu_time);
	}
	record->io_cpu = machine->disk.worker.cpu_time;
	record->vmm_cpu = cpu_time_of_thread(); /* the main thread is all the rest, but for: */
	cpu_time_add(&record->vmm_cpu, &machine->timers.cpu_time);
	cpu_time_add(&record->vmm_cpu, &machine->virtual_time.cpu_time);
	record->max_rss_kib = memory_max_rss_kib();
	if (machine->config->verbose || machine->config->json_path)
		record->rss_besides_ram_kib = memory_rss_besides_kib(machine->ram.host,
								     machine->config->mem_bytes);
}

void machine_destroy(struct machine *machine)
{
	for (unsigned i = 0; i < machine->vcpu_count; i++)
		vcpu_destroy(&machine->vcpus[i]);
	free(machine->vcpus);
	kvm_stats_layout_free(&machine->vm_stats);
	kvm_stats_layout_free(&machine->vcpu_stats);
	if (machine->vm_stats_fd >= 0)
		close(machine->vm_stats_fd);
	if (machine->vm_fd >= 0)
		close(machine->vm_fd);
	if (machine->kvm_fd >= 0)
		close(machine->kvm_fd);
	machine_disk_destroy(machine);
	machine_pm_page_free(&machine->pm_page);
	machine_timers_free(&machine->timers);
	wall_clock_close(&machine->wall_clock);
	irqchip_edge_close(&machine->board.rtc_edge);
	irq_resample_close(&machine->board.sci_resample);
	irqchip_free(&machine->irqchip);
	memory_release(&machine->ram);
	ending_free(&machine->ending);
	pthread_cond_destroy(&machine->reported);
	pthread_mutex_destroy(&machine->reports_lock);
}
