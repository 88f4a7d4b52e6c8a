/* Virtio over MMIO: see virtio_mmio.h. */
#include "virtio_mmio.h"

#include <string.h>

#include "virtio_mmio_regs.h"

/*
 * An edge each time, even where the bit is set already: a driver that polled for a
 * while has acknowledged nothing, and is not to miss what it then halts for.
 */
static void interrupt(struct virtio_mmio *mmio, unsigned cause)
{
	atomic_fetch_or(&mmio->interrupt_status, cause);
	mmio->ops.interrupt(mmio->ops.opaque);
}

static void needs_reset(struct virtio_mmio *mmio)
{
	mmio->state.status |= STATUS_NEEDS_RESET;
	if (mmio->state.status & STATUS_DRIVER_OK)
		interrupt(mmio, INTERRUPT_CONFIG);
}

static void reset(struct virtio_mmio *mmio)
{
	memset(&mmio->state, 0, sizeof(mmio->state));
	virtio_queue_reset(&mmio->queue);
	atomic_store(&mmio->interrupt_status, 0);
}

/* ---- registers ---- */

static uint64_t offered_features(const struct virtio_mmio *mmio)
{
	return mmio->device->features | VIRTIO_F_VERSION_1;
}

/* The 32 bits of a 64-bit field that a select register names; others are 0. */
static uint32_t half(uint64_t value, uint32_t select)
{
	return select < 2 ? (uint32_t)(value >> (32 * select)) : 0;
}

static void set_half(uint64_t *field, uint32_t select, uint32_t value)
{
	uint64_t mask = (uint64_t)UINT32_MAX << (32 * select);

	*field = (*field & ~mask) | (uint64_t)value << (32 * select);
}

static uint32_t read_register(const struct virtio_mmio *mmio, uint32_t reg)
{
	const struct virtio_mmio_state *s = &mmio->state;
	bool queue = s->queue_select == 0; /* there is only this one */

	switch (reg) {
	case REG_MAGIC:
		return MAGIC;
	case REG_VERSION:
		return VERSION;
	case REG_DEVICE_ID:
		return mmio->device->id;
	case REG_VENDOR_ID:
		return VENDOR;
	case REG_DEVICE_FEATURES:
		return half(offered_features(mmio), s->device_features_select);
	case REG_QUEUE_SIZE_MAX:
		return queue ? VIRTIO_QUEUE_MAX : 0;
	case REG_QUEUE_READY:
		return queue && mmio->queue.state.ready;
	case REG_STATUS:
		return s->status;
	case REG_CONFIG_GENERATION:
		return 0; /* the configuration never changes */
	default:
		return UINT32_MAX;
	}
}

/* Features that were not offered, or none of virtio 1.0's: FEATURES_OK stays 0 (§ 3.1.1). */
static bool features_are_ok(const struct virtio_mmio *mmio)
{
	uint64_t features = mmio->state.driver_features;

	return !(features & ~offered_features(mmio)) && (features & VIRTIO_F_VERSION_1);
}

/* Bits are set one after the other and never cleared but by a reset. */
static void write_status(struct virtio_mmio *mmio, uint32_t value)
{
	struct virtio_mmio_state *s = &mmio->state;
	uint32_t news = value & ~s->status;

	if (value == 0) {
		reset(mmio);
		return;
	}
	s->status |= news & (STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FAILED);
	if (news & STATUS_FEATURES_OK && features_are_ok(mmio))
		s->status |= STATUS_FEATURES_OK;
	if (news & STATUS_DRIVER_OK && s->status & STATUS_FEATURES_OK)
		s->status |= STATUS_DRIVER_OK;
}

static void write_queue_ready(struct virtio_mmio *mmio, uint32_t value)
{
	if (!(value & 1))
		mmio->queue.state.ready = false;
	else if (mmio->queue.state.ready)
		return;
	else if (!(mmio->state.status & STATUS_FEATURES_OK) || virtio_queue_enable(&mmio->queue))
		needs_reset(mmio);
}

/* Size and place of the queue, as long as it is not in use. */
static void write_queue_register(struct virtio_mmio *mmio, uint32_t reg, uint32_t value)
{
	struct virtio_queue_state *queue = &mmio->queue.state;
	uint32_t high = reg % 8 ? 1 : 0;

	if (queue->ready)
		return;
	switch (reg) {
	case REG_QUEUE_SIZE:
		queue->size = value;
		break;
	case REG_QUEUE_DESCRIPTORS:
	case REG_QUEUE_DESCRIPTORS + 4:
		set_half(&queue->descriptors, high, value);
		break;
	case REG_QUEUE_AVAILABLE:
	case REG_QUEUE_AVAILABLE + 4:
		set_half(&queue->available, high, value);
		break;
	case REG_QUEUE_USED:
	case REG_QUEUE_USED + 4:
		set_half(&queue->used, high, value);
		break;
	}
}

static void write_register(struct virtio_mmio *mmio, uint32_t reg, uint32_t value)
{
	struct virtio_mmio_state *s = &mmio->state;

	switch (reg) {
	case REG_DEVICE_FEATURES_SELECT:
		s->device_features_select = value;
		break;
	case REG_DRIVER_FEATURES:
		if (s->driver_features_select < 2 && !(s->status & STATUS_FEATURES_OK))
			set_half(&s->driver_features, s->driver_features_select, value);
		break;
	case REG_DRIVER_FEATURES_SELECT:
		s->driver_features_select = value;
		break;
	case REG_QUEUE_SELECT:
		s->queue_select = value;
		break;
	case REG_STATUS:
		write_status(mmio, value);
		break;
	case REG_QUEUE_READY:
		if (s->queue_select == 0)
			write_queue_ready(mmio, value);
		break;
	default:
		if (s->queue_select == 0)
			write_queue_register(mmio, reg, value);
	}
}

static uint64_t virtio_mmio_read(void *state, struct bus_access access)
{
	struct virtio_mmio *mmio = state;
	const struct virtio_device *device = mmio->device;
	uint32_t value;

	if (access.offset >= REG_CONFIG)
		return device->read_config(device->opaque, access.offset - REG_CONFIG, access.size);
	if (access.size != 4 || access.offset % 4)
		return UINT64_MAX;
	if (access.offset == REG_INTERRUPT_STATUS)
		return atomic_load(&mmio->interrupt_status);
	pthread_mutex_lock(&mmio->lock);
	value = read_register(mmio, access.offset);
	pthread_mutex_unlock(&mmio->lock);
	return value;
}

/* The configuration space is read-only. */
static void virtio_mmio_write(void *state, struct bus_access access, uint64_t value)
{
	struct virtio_mmio *mmio = state;

	if (access.offset >= REG_CONFIG || access.size != 4 || access.offset % 4)
		return;
	if (access.offset == REG_INTERRUPT_ACK) {
		atomic_fetch_and(&mmio->interrupt_status, ~(unsigned)value);
		return;
	}
	if (access.offset == REG_QUEUE_NOTIFY) {
		mmio->ops.notify(mmio->ops.opaque);
		return;
	}
	pthread_mutex_lock(&mmio->lock);
	write_register(mmio, access.offset, (uint32_t)value);
	pthread_mutex_unlock(&mmio->lock);
}

void virtio_mmio_init(struct virtio_mmio *mmio, const struct virtio_device *device,
		      const struct ram *ram, const struct virtio_mmio_ops *ops)
{
	pthread_mutex_init(&mmio->lock, NULL);
	virtio_queue_init(&mmio->queue, ram);
	mmio->device = device;
	mmio->ops = *ops;
	reset(mmio);
}

struct bus_region virtio_mmio_region(struct virtio_mmio *mmio, const char *name, uint64_t base)
{
	return (struct bus_region){
		.name = name,
		.base = base,
		.length = VIRTIO_MMIO_BYTES,
		.sizes = 1 | 2 | 4,
		.read = virtio_mmio_read,
		.write = virtio_mmio_write,
		.state = mmio,
	};
}

/* ---- requests ---- */

static bool is_live(const struct virtio_mmio *mmio)
{
	uint32_t status = mmio->state.status;

	return status & STATUS_DRIVER_OK && !(status & STATUS_NEEDS_RESET) &&
	       mmio->queue.state.ready;
}

static void serve_chain(struct virtio_mmio *mmio)
{
	const struct virtio_device *device = mmio->device;
	int64_t written = device->serve(device->opaque, &mmio->chain);

	if (written < 0) {
		needs_reset(mmio);
		return;
	}
	virtio_queue_push(&mmio->queue, &mmio->chain,
			  written < UINT32_MAX ? (uint32_t)written : UINT32_MAX);
	if (virtio_queue_wants_interrupt(&mmio->queue))
		interrupt(mmio, INTERRUPT_USED);
}

/* False: none waits, or none may be served. */
static bool serve_one(struct virtio_mmio *mmio)
{
	enum virtio_pop pop = VIRTIO_POP_NONE;

	pthread_mutex_lock(&mmio->lock);
	if (is_live(mmio))
		pop = virtio_queue_pop(&mmio->queue, &mmio->chain);
	if (pop == VIRTIO_POP_CHAIN)
		serve_chain(mmio);
	else if (pop == VIRTIO_POP_BROKEN)
		needs_reset(mmio);
	pthread_mutex_unlock(&mmio->lock);
	return pop == VIRTIO_POP_CHAIN;
}

static void want_notify(struct virtio_mmio *mmio, bool wanted)
{
	pthread_mutex_lock(&mmio->lock);
	if (is_live(mmio))
		virtio_queue_want_notify(&mmio->queue, wanted);
	pthread_mutex_unlock(&mmio->lock);
}

/* The last look is for what came before the driver could see that it is to notify again. */
void virtio_mmio_serve(struct virtio_mmio *mmio, atomic_bool *stop)
{
	do {
		want_notify(mmio, false);
		while (!atomic_load(stop) && serve_one(mmio))
			;
		want_notify(mmio, true);
	} while (!atomic_load(stop) && serve_one(mmio));
}
