/*
 * The machine's disk (--disk): a virtio-mmio block device, its thread and its wiring.
 *
 * The guest is told of it on its command line, by the word that QEMU's microvm and
 * Firecracker use too: virtio_mmio.device=SIZE@BASE:GSI.
 */
#ifndef TICKVM_MACHINE_DISK_H
#define TICKVM_MACHINE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "block_worker.h"
#include "devices/virtio_blk.h"
#include "devices/virtio_mmio.h"
#include "disk.h"
#include "irqchip.h"

struct boot_plan;
struct config;
struct error;
struct machine;

struct machine_disk {
	bool present;
	struct disk file;
	struct virtio_blk blk;
	struct virtio_mmio mmio;
	struct block_worker worker;
	struct irq_edge interrupt;
};

/* Adds the word to the guest's command line, where the configuration has a disk. */
int machine_disk_announce(const struct config *config, struct boot_plan *plan, struct error *e);

/* The device, if the configuration has one; machine_disk_destroy() is to be called in any case. */
int machine_disk_create(struct machine *machine, struct error *e);
void machine_disk_destroy(struct machine *machine);

/* The thread. Stop it before the vCPUs are joined: one of these may wait for a request. */
int machine_disk_start(struct machine *machine, struct error *e);
void machine_disk_stop(struct machine *machine);

#endif
