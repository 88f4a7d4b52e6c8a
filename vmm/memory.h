/*
 * Guest RAM on the host: one mapping, handed to KVM as a slot below the PCI
 * window and, past RAM_LOW_MAX, one from 4 GiB up. See ram.h.
 */
#ifndef TICKVM_MEMORY_H
#define TICKVM_MEMORY_H

#include <stdint.h>

#include "ram.h"

struct error;

/* Maps zeroed memory that is not paid for until the guest touches it. */
int memory_allocate(struct ram *ram, uint64_t bytes, struct error *e);
void memory_release(struct ram *ram);

#endif
