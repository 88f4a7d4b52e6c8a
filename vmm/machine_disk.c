/* The machine's disk: see machine_disk.h. */
#include "machine_disk.h"

#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "config.h"
#include "error.h"
#include "kvm_caps.h"
#include "loader/loader.h"
#include "machine.h"
#include "machine_map.h"

#define QUEUE 0 /* the only one */

int machine_disk_announce(const struct config *config, struct boot_plan *plan, struct error *e)
{
	char word[64];

	if (!config->disk_path)
		return 0;
	snprintf(word, sizeof(word), "virtio_mmio.device=%dK@%#x:%d", VIRTIO_MMIO_BYTES >> 10,
		 MAP_DISK_BASE, MAP_DISK_GSI);
	return boot_plan_append(plan, word, e);
}

static void on_interrupt(void *opaque)
{
	const struct machine_disk *disk = opaque;

	irqchip_edge_send(&disk->interrupt);
}

/* Of the rare notifications that KVM does not take: a wrong queue's, say. */
static void on_notify(void *opaque)
{
	struct machine_disk *disk = opaque;

	block_worker_notify(&disk->worker);
}

/* A notification of the queue becomes an event of the worker inside KVM. */
static int connect_notify(const struct machine *machine, struct error *e)
{
	struct kvm_ioeventfd event = {.addr = MAP_DISK_BASE + VIRTIO_MMIO_QUEUE_NOTIFY,
				      .len = sizeof(uint32_t),
				      .datamatch = QUEUE,
				      .flags = KVM_IOEVENTFD_FLAG_DATAMATCH,
				      .fd = machine->disk.worker.event_fd};

	if (kvm_need(machine->vm_fd, KVM_CAP_IOEVENTFD, e))
		return -1;
	if (ioctl(machine->vm_fd, KVM_IOEVENTFD, &event))
		return error_set(e, TK_EXIT_SKIPPED, "--disk: KVM_IOEVENTFD: %s", strerror(errno));
	return 0;
}

static int wire(struct machine *machine, struct error *e)
{
	struct machine_disk *disk = &machine->disk;
	const struct virtio_mmio_ops ops = {
		.interrupt = on_interrupt, .notify = on_notify, .opaque = disk};
	struct bus_region region = virtio_mmio_region(&disk->mmio, "virtio-blk", MAP_DISK_BASE);

	virtio_blk_init(&disk->blk, &disk->file.backing);
	virtio_mmio_init(&disk->mmio, &disk->blk.device, &machine->ram, &ops);
	if (bus_add(&machine->mmio, &region, e) ||
	    irqchip_edge_open(&machine->irqchip, MAP_DISK_GSI, &disk->interrupt, e) ||
	    block_worker_init(&disk->worker, &disk->mmio, e))
		return -1;
	return connect_notify(machine, e);
}

int machine_disk_create(struct machine *machine, struct error *e)
{
	const struct config *config = machine->config;
	struct machine_disk *disk = &machine->disk;

	if (!config->disk_path)
		return 0;
	disk->worker.event_fd = disk->interrupt.event_fd = -1;
	if (disk_open(&disk->file, config->disk_path, config->disk_writable, e))
		return -1;
	disk->present = true;
	return wire(machine, e);
}

void machine_disk_destroy(struct machine *machine)
{
	struct machine_disk *disk = &machine->disk;

	if (!disk->present)
		return;
	block_worker_free(&disk->worker);
	irqchip_edge_close(&disk->interrupt);
	disk_close(&disk->file);
}

int machine_disk_start(struct machine *machine, struct error *e)
{
	if (!machine->disk.present)
		return 0;
	return block_worker_start(&machine->disk.worker, machine->config->pin_io, e);
}

void machine_disk_stop(struct machine *machine)
{
	block_worker_stop(&machine->disk.worker);
}
