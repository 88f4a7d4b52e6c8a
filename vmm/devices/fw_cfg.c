/* fw_cfg: see fw_cfg.h. */
#include "fw_cfg.h"

#include <string.h>

enum { PORT_SELECTOR = 0, PORT_DATA = 1 };

static const struct fw_cfg_item *find(const struct fw_cfg *fw_cfg, uint16_t key)
{
	for (unsigned i = 0; i < fw_cfg->count; i++)
		if (fw_cfg->items[i].key == key)
			return &fw_cfg->items[i];
	return NULL;
}

/* The selected item's next byte; 0 past its end, and of an item that there is not. */
static uint8_t next_byte(struct fw_cfg *fw_cfg)
{
	const struct fw_cfg_item *item = find(fw_cfg, fw_cfg->state.key);

	if (!item || fw_cfg->state.offset >= item->length)
		return 0;
	return fw_cfg->data[item->first + fw_cfg->state.offset++];
}

static uint64_t fw_cfg_read(void *state, struct bus_access access)
{
	if (access.offset != PORT_DATA || access.size != 1)
		return UINT64_MAX; /* the selector is write only */
	return next_byte(state);
}

static void fw_cfg_write(void *state, struct bus_access access, uint64_t value)
{
	struct fw_cfg *fw_cfg = state;

	if (access.offset != PORT_SELECTOR || access.size != 2)
		return;
	fw_cfg->state.key = (uint16_t)value;
	fw_cfg->state.offset = 0;
}

void fw_cfg_init(struct fw_cfg *fw_cfg)
{
	memset(fw_cfg, 0, sizeof(*fw_cfg));
	fw_cfg_add(fw_cfg, FW_CFG_SIGNATURE, "QEMU", 4);
}

int fw_cfg_add(struct fw_cfg *fw_cfg, uint16_t key, const void *data, uint32_t length)
{
	if (find(fw_cfg, key) || fw_cfg->count == FW_CFG_ITEMS_MAX ||
	    length > FW_CFG_DATA_BYTES - fw_cfg->used)
		return -1;
	memcpy(fw_cfg->data + fw_cfg->used, data, length);
	fw_cfg->items[fw_cfg->count++] = (struct fw_cfg_item){key, fw_cfg->used, length};
	fw_cfg->used += length;
	return 0;
}

struct bus_region fw_cfg_region(struct fw_cfg *fw_cfg, uint16_t base, pthread_mutex_t *lock)
{
	return (struct bus_region){
		.name = "fw_cfg",
		.base = base,
		.length = FW_CFG_PORTS,
		.sizes = 1 | 2,
		.read = fw_cfg_read,
		.write = fw_cfg_write,
		.state = fw_cfg,
		.lock = lock,
	};
}
